"""The frozen presets: a digest of what each serves.

The digest is the SHA-256 of answers of the web with seed 0, taken without a network: for the first and the
last month, robots.txt, sitemap, home page and up to `PAGES` further pages of up to `HOSTS` hosts spread over
all of them, each as its URL, its status and its body. It says that a figure measured on a preset today can be
compared with one measured before. A preset that must change gets a new digest here, and a line in the
changelog.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from webstrata.simulate.invitro.web import Web

HOSTS = 40
PAGES = 12

DIGESTS = {
    "clean": "a196014fa86845e293ffb0ebcdb3e3445f661aee5f9bddcdc05e97a0a189c04d",
    "hostile": "5b98c032194b44338e64570c65360d67db042a69b7697d0bc30f1ff8a4a15512",
    "realistic": "28e5e0cac7871043497d633b55d3015523f6a136f2fc55ea04da941901c55cb5",
    "small": "f62c4c8d72f2987e5b97a4f29060d429157b45a478e95b1829c9f69e5027bd95",
    "tiny": "b2168b5d798096c93bbf369cf0a21d9771855a45c9b34061dded31112f845615",
    "uk-2007": "49c2fe767b80179be35e27c4aea4ca3c52cf91ea60d980a2d7230a25ad53aacb",
}
"""What `digest` gives for each preset with seed 0."""


def digest(web: Web) -> str:
    """The SHA-256 of a sample of what a web serves.

    Examples
    --------
    >>> from webstrata.simulate.invitro import Web
    >>> digest(Web("tiny")) == digest(Web("tiny")) != digest(Web("tiny", seed=1))
    True
    """
    total = hashlib.sha256()
    for month in sorted({0, web.settings.months - 1}):
        for url in _sample(web, month):
            answer = web.fetch(url, month)
            total.update(f"{url}\t{answer.status}\t".encode())
            total.update(answer.body)
    return total.hexdigest()


def _sample(web: Web, month: int) -> list[str]:
    """Addresses spread over the hosts of a month: what each has by rule, and pages its home page links to."""
    homes = web.home_pages(month)
    step = max(1, len(homes) // HOSTS)
    urls: list[str] = []
    for home in homes[::step][:HOSTS]:
        links = [link.url for link in web.links(home, month)]
        spread = links[:: max(1, len(links) // PAGES)][:PAGES]
        urls += [home + "robots.txt", home + "sitemap.xml", home, *spread]
    return urls
