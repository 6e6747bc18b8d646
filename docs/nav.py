"""Makes the navigation from the folders: a new page is there without being listed anywhere.

Sections come in the order of `SECTIONS`; within one, `index.md` first, then pages by name, then folders. A
page whose blocks are run, as those of the tour are, fails the build if one of them fails.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from mkdocs.exceptions import PluginError

if TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.pages import Page

SECTIONS = {
    "tutorial": "Tutorial",
    "howto": "How to",
    "reference": "Reference",
    "formats": "Formats",
    "decisions": "Decisions",
}
TITLES = {"api": "Python", "rooms": "Rooms"}


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Called by mkdocs when it has read its configuration."""
    root = Path(config.docs_dir)
    sections = [{title: _list(root, root / folder)} for folder, title in SECTIONS.items()]
    config.nav = ["index.md", *sections, "measured.md"]
    return config


def on_page_content(html: str, page: Page, **_others: Any) -> str:  # noqa: ANN401
    """Called by mkdocs with every page: a block of the tour that failed fails the build."""
    if "code block: session" in html and "Traceback (most recent call last)" in html:
        raise PluginError(
            f"{page.file.src_uri}: a block that is run has failed; build without --quiet to see it"
        )
    return html


def _list(root: Path, folder: Path) -> list[Any]:
    pages = sorted(folder.glob("*.md"), key=lambda page: (page.name != "index.md", page.name))
    folders = sorted(path for path in folder.iterdir() if path.is_dir())
    return [
        *(page.relative_to(root).as_posix() for page in pages),
        *({TITLES.get(path.name, path.name.title()): _list(root, path)} for path in folders),
    ]
