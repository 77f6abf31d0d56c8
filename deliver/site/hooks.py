"""What MkDocs calls while it builds the site: the navigation, anchors, formulas, a fixed date.

SPDX-License-Identifier: Apache-2.0
"""
import pathlib
import re

FORMULAS = """\
<link rel="stylesheet" href="{top}assets/katex/katex.min.css">
<script defer src="{top}assets/katex/katex.min.js"></script>
<script defer src="{top}assets/formulas.js"></script>
</head>"""


def anchor(heading, separator):
    """The anchor that GitHub gives to a heading, so that links work there and here."""
    return re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", separator)


def expanded(entries, folder):
    """The entries of a navigation, with "*": GLOB replaced by files and absent files left out."""
    named = {name for entry in entries
             for name in (entry.values() if isinstance(entry, dict) else [entry])
             if isinstance(name, str)}
    for entry in entries:
        if isinstance(entry, str):
            yield entry
            continue
        (title, value), = entry.items()
        if isinstance(value, list):
            inner = list(expanded(value, folder))
            if inner:
                yield {title: inner}
        elif title == "*":
            found = sorted(path.relative_to(folder).as_posix() for path in folder.glob(value))
            yield from (name for name in found if name not in named)
        elif (folder / value).exists():
            yield entry
        elif value.endswith(".md"):
            raise FileNotFoundError(f"deliver/site/mkdocs.yml: nav: there is no {value}")


def on_config(config):
    """The navigation of the pages that there are."""
    config["nav"] = list(expanded(config["nav"], pathlib.Path(config["docs_dir"])))
    return config


def on_env(env, config, files):
    """No time of the build in the pages: the same sources make the same bytes."""
    config["build_date_utc"] = ""
    return env


def on_post_page(output, page, config):
    """KaTeX on pages with formulas, and only there."""
    if 'class="arithmatex"' not in output:
        return output
    top = "../" * page.url.count("/")
    return output.replace("</head>", FORMULAS.format(top=top), 1)
