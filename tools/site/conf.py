# Sphinx's settings for the site that tools/make-site builds.
import pathlib
import re

from pygments.lexers.data import JsonLexer

SOURCE = pathlib.Path(__file__).resolve().parent.parent.parent

project = "Tactus"
author = "The Tactus authors"
version = re.search(r"set\(TACTUS_VERSION ([0-9.]+)\)", (SOURCE / "CMakeLists.txt").read_text()).group(1)
extensions = ["myst_parser"]
root_doc = "README"
include_patterns = ["*.md", "docs/**/*.md", "docs/*.md", "bench/results/**/*.md", "bench/results/*.md", "tactus/**/theory.md"]
myst_heading_anchors = 5
html_theme = "furo"
html_title = f"Tactus {version}"
html_copy_source = False
html_show_sphinx = False

# The order of the pages is that of docs/README.md, which tells every reader where to begin.
IN_ORDER = re.findall(r"\]\(([a-z0-9/-]+)\.md", (SOURCE / "docs/README.md").read_text())
CHAPTERS = {
    "Start": ["docs/README.md"],
    "Use": ["docs/use/*.md"],
    "Methods": ["docs/use/methods/*.md", "docs/errata.md"],
    "Reference": ["docs/reference/*.md"],
    "Theory": ["tactus/**/theory.md"],
    "Inside": ["docs/inside/*.md", "CONTRIBUTING.md", "SECURITY.md"],
    "Releases": ["CHANGELOG.md", "docs/release-notes/*.md"],
    "Measured": ["bench/results/**/*.md"],
}


def pages_of(chapter, source):
    """The pages of a chapter, those that docs/README.md names first."""
    pages = [path.relative_to(source).with_suffix("").as_posix()
             for pattern in CHAPTERS[chapter] for path in sorted(source.glob(pattern))]
    rank = {f"docs/{name}": at for at, name in reversed(list(enumerate(IN_ORDER)))}
    return sorted(pages, key=lambda page: rank.get(page, len(rank)))


def prepared(app, page, text):
    """The contents, behind the first page; and links to folders, which no page shows, as text."""
    folder = (pathlib.Path(app.srcdir) / page).parent

    def without_folder(found):
        return found.group(1) if (folder / found.group(2)).is_dir() else found.group(0)

    text[0] = re.sub(r"\[([^\]]+)\]\(([^)#:]+)\)", without_folder, text[0])
    if page == root_doc:
        for chapter in CHAPTERS:
            pages = "\n".join(pages_of(chapter, pathlib.Path(app.srcdir)))
            text[0] += f"\n```{{toctree}}\n:hidden:\n:caption: {chapter}\n\n{pages}\n```\n"


def setup(app):
    app.add_lexer("jsonc", JsonLexer)
    app.connect("source-read", prepared)
