"""The documentation site: Sphinx reads the pages of this folder as they are, in the order of index.md.

`python3 ci docs` builds it. Links between pages, and to files of the tree, are checked by that.
"""

from plumbline.reference.distribution import VERSION

project = "Plumbline"
author = "the Plumbline developers"
release = VERSION
html_title = f"Plumbline {VERSION}"

extensions = ["myst_parser"]
# Tables are written from measured/. Schemas are files to download. Pictures come with the pages.
exclude_patterns = ["measured/**", "schemas/**", "pictures/**"]
# `page.md#heading` works as it does in a view of the repository.
myst_heading_anchors = 4
html_theme = "furo"
html_show_copyright = False
