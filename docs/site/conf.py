# SPDX-License-Identifier: BSD-3-Clause
"""How Sphinx builds the site; scripts/site gathers the pages and starts it."""
from docutils import nodes

# pylint: disable=invalid-name; Sphinx defines the names
project = "Bowline"
html_title = "Bowline"
language = "en"

extensions = ["myst_parser"]
myst_heading_anchors = 4  # the anchors that links in docs/ name, as in the repository
exclude_patterns = ["site"]
highlight_language = "none"  # blocks that do not say what they are: commands and what they print

html_theme = "furo"
html_theme_options = {"navigation_with_keys": True}
html_static_path = ["static"]
html_css_files = ["bowline.css"]
html_copy_source = False
html_show_sourcelink = False
html_use_index = False
html_show_copyright = False


def no_entry_at_the_side(app, _):
    """503 entries in the list of pages would make each page long and slow: functions/index has them."""
    if app.env.docname.startswith("functions/MPI"):
        app.env.metadata[app.env.docname]["orphan"] = True


def let_long_words_break(_, doctree, __):
    """Words of code are kept whole (static/bowline.css), but for those that a phone is too narrow for."""
    for code in doctree.findall(nodes.literal):
        if max(map(len, code.astext().split()), default=0) > 36:
            code["classes"].append("long")


def setup(app):
    app.connect("doctree-read", no_entry_at_the_side)
    app.connect("doctree-resolved", let_long_words_break)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
