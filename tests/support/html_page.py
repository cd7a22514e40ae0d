# SPDX-License-Identifier: BSD-3-Clause
"""A page that a program has written, for tests."""
import html.parser

VOID = {"meta", "br"}


class Page(html.parser.HTMLParser):
    """A page's elements: each must be closed where it ought to be, and nothing may come from elsewhere."""
    def __init__(self, text):
        super().__init__()
        self.open, self.problems, self.headings, self.ids, self.links, self.words = [], [], [], set(), [], []
        self.feed(text)
        self.close()
        self.problems += [f"{tag} stays open" for tag in self.open]

    def handle_starttag(self, tag, attrs):
        attributes = dict(attrs)
        self.problems += [f"{tag} with {name}" for name in attributes if name.startswith("on") or name == "src"]
        self.problems += [tag] if tag in ("script", "link", "img", "iframe") else []
        self.ids |= {attributes["id"]} if "id" in attributes else set()
        self.links += [attributes["href"]] if "href" in attributes else []
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self.handle_endtag(tag)

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.problems.append(f"/{tag}")

    def handle_data(self, data):
        if self.open and self.open[-1] == "style":
            return
        self.words.append(data)
        if self.open and self.open[-1] == "h2":
            self.headings.append(data)
