"""Print the tables of docs/judged.md."""

from __future__ import annotations

import sys

from plumbline.reference.judged.schema import markdown

sys.stdout.write(markdown())
