"""Print the text of docs/trace.md."""

from __future__ import annotations

import sys

from plumbline.reference.trace.schema import markdown

sys.stdout.write(markdown())
