"""Print the text of docs/rules.md."""

from __future__ import annotations

import sys

from plumbline.reference.rules.page import markdown

sys.stdout.write(markdown())
