"""check_links.py - checks the built site: links, anchors, the navigation, and that it stays alone.

    deliver/site/check_links.py SITE

Every link to a file of the site leads to one, and every anchor is there. Every page stands in the
navigation. No page and no style loads anything from elsewhere: scripts, styles, fonts, pictures and
frames are files of the site. The search index has a part of every page.

SPDX-License-Identifier: Apache-2.0
"""
import html.parser
import json
import pathlib
import re
import sys
import urllib.parse

LOADS = {"script": "src", "link": "href", "img": "src", "iframe": "src", "source": "src",
         "video": "src", "audio": "src", "object": "data", "embed": "src", "use": "href",
         "image": "href"}
NOT_LOADED = {"canonical", "next", "prev", "alternate"}  # kinds of <link>
ELSEWHERE = re.compile(r"[a-z][a-z0-9+.-]*:|//", re.I)


class Page(html.parser.HTMLParser):
    """The anchors of a page, its links, what it loads, and the links of its navigation."""

    def __init__(self, text):
        super().__init__()
        self.anchors, self.links, self.loads, self.navigation = set(), [], [], set()
        self.depth, self.nav_at = 0, None
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        attrs = dict(attrs)
        self.anchors.update(value for name, value in attrs.items() if name in ("id", "name"))
        if tag == "nav":
            self.depth += 1
            if "md-nav--primary" in (attrs.get("class") or "") and self.nav_at is None:
                self.nav_at = self.depth
        if tag == "a" and attrs.get("href"):
            self.links.append(attrs["href"])
            if self.nav_at is not None:
                self.navigation.add(attrs["href"])
        if LOADS.get(tag) in attrs and attrs.get("rel") not in NOT_LOADED:
            self.loads.append(attrs[LOADS[tag]])
        self.loads += re.findall(r"url\(['\"]?([^)'\"]+)", attrs.get("style") or "")

    def handle_startendtag(self, tag, attrs):
        self.handle_starttag(tag, attrs)

    def handle_endtag(self, tag):
        if tag == "nav":
            if self.depth == self.nav_at:
                self.nav_at = None
            self.depth -= 1


class Site:
    def __init__(self, top):
        self.top = top.resolve()
        self.pages = {path: Page(path.read_text(encoding="utf-8"))
                      for path in sorted(self.top.rglob("*.html"))
                      if path.relative_to(self.top).parts[0] != "page"}
        self.checked = 0

    def name(self, path):
        return path.relative_to(self.top).as_posix()

    def target(self, path, link):
        """The file of a link, and its anchor."""
        at, _, anchor = link.partition("#")
        at = urllib.parse.unquote(at.partition("?")[0])
        return (path.parent / at).resolve() if at else path, urllib.parse.unquote(anchor)

    def links(self):
        for path, page in self.pages.items():
            for link in page.links + page.loads:
                if ELSEWHERE.match(link):
                    continue
                self.checked += 1
                target, anchor = self.target(path, link)
                if not target.is_file():
                    yield f"{self.name(path)}: {link} leads nowhere"
                elif anchor and target in self.pages and not anchor.startswith("__"):
                    if anchor not in self.pages[target].anchors:
                        yield f"{self.name(path)}: {link}: there is no such anchor"

    def loads(self):
        for path, page in self.pages.items():
            for link in page.loads:
                self.checked += 1
                if ELSEWHERE.match(link) and not link.startswith("data:"):
                    yield f"{self.name(path)} loads {link}"
        for path in sorted(self.top.rglob("*.css")):
            text = path.read_text(encoding="utf-8")
            for link in re.findall(r"url\(['\"]?([^)'\"]+)|@import +['\"]([^'\"]+)", text):
                link = link[0] or link[1]
                self.checked += 1
                if link.startswith("data:"):
                    continue
                if ELSEWHERE.match(link) or not self.target(path, link)[0].is_file():
                    yield f"{self.name(path)} loads {link}"

    def navigation(self):
        home = self.top / "index.html"
        listed = {self.target(home, link)[0] for link in self.pages[home].navigation
                  if not ELSEWHERE.match(link)}
        for path in self.pages:
            self.checked += 1
            if path not in listed:
                yield f"{self.name(path)} is not in the navigation"

    def search(self):
        index = json.loads((self.top / "search/search_index.json").read_text(encoding="utf-8"))
        indexed = {part["location"].partition("#")[0] or "index.html" for part in index["docs"]}
        if not (self.top / "search/search_index.js").is_file():
            yield "search/search_index.js is missing: no search from disk"
        for path in self.pages:
            self.checked += 1
            if self.name(path) not in indexed:
                yield f"{self.name(path)} is not in the search index"


def main():
    site = Site(pathlib.Path(sys.argv[1]))
    if len(site.pages) < 20:
        sys.exit(f"{sys.argv[1]} has {len(site.pages)} pages; run make docs")
    failures = [line for check in (site.links, site.loads, site.navigation, site.search)
                for line in check()]
    print("\n".join([f"FAIL: {line}" for line in failures]
                    + [f"{len(site.pages)} pages, {site.checked} links and places checked,"
                       f" {len(failures)} failed"]))
    return bool(failures)


if __name__ == "__main__":
    sys.exit(main())
