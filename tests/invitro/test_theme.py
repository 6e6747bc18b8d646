"""The theme surrounds words and links without adding any."""

from __future__ import annotations

from html.parser import HTMLParser

from webstrata.invitro.theme import THEME
from webstrata.invitro.web import Web


class Outline(HTMLParser):
    """Which tags are open, and whether each was closed by its own name."""

    VOID = frozenset({"meta", "link", "base", "br", "img"})

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def test_the_fragments_bring_no_link_of_their_own() -> None:
    assert not any(b"href" in fragment or b"http" in fragment for fragment in THEME.fragments())


def test_every_tag_of_a_page_is_closed() -> None:
    web = Web("small", seed=2)
    for url in web.graph(1).urls[::97]:
        outline = Outline()
        outline.feed(web.fetch(url, 1).body.decode("utf-8", "replace"))
        assert outline.open == [], url
