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
    from webstrata.invitro.web import Web

HOSTS = 40
PAGES = 12

DIGESTS = {
    "clean": "a196014fa86845e293ffb0ebcdb3e3445f661aee5f9bddcdc05e97a0a189c04d",
    "demo": "b94e897ddd8ea8b14f7e2f349314960d73d32b6260733cbb1a01cbf02dfb8065",
    "hostile": "d3515a33f78ab76d026206012c42abb5f2ddd1dadf30145b25dc862b18cc0a31",
    "living": "58a99671541349d07e05d18765cafdc333871599c331aa7df183fafac2727181",
    "realistic": "45d9ae0b3f824faf561222d6c316127351244081cbb5e5c5effbe360710aa4a5",
    "small": "bab20f8391feff16e43e3d2ed97b7a5d04113093d00e967cb49280c2d1c52705",
    "spam": "04b7b623ea84ab3121bbf47725a3734c8c952bf78094107d80db7845f230775d",
    "tiny": "42dd7b6cc3c360a1339b7d6e6d7c18a53bd32a5fd4657e24326ef8e3e190daba",
    "uk-2007": "6940abc3dbd6fe1060bba538132f18bc1773f0f2c21d0954db6e6c0167845077",
}
"""What `digest` gives for each preset with seed 0."""


def digest(web: Web) -> str:
    """The SHA-256 of a sample of what a web serves.

    Examples
    --------
    >>> from webstrata.invitro import Web
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
