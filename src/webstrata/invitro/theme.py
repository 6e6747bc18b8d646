"""The theme of the in-vitro web: the markup around its words and links.

Real pages are mostly markup: of the HTML of an article, a tenth is its text. The theme gives pages of the
in-vitro web their share of it, so that parsers have something to skip and compressors something to squeeze.
What it says is part of what a preset serves.
"""

from __future__ import annotations

from dataclasses import astuple, dataclass


@dataclass(frozen=True)
class Theme:
    """Fragments of HTML, in the order in which the core takes them."""

    head: str
    """From the last metadata of a page to the name of its host."""
    item: str
    """Before the link of a list."""
    item_end: str
    """Behind it."""
    link: str
    """Between ``<a`` and ``href``."""
    paragraph: str
    """The tag that opens a paragraph."""
    main: str
    """Before the heading of the main content."""
    main_end: str
    """Behind the main content."""

    def fragments(self) -> list[bytes]:
        """The fragments as the core takes them."""
        return [fragment.encode() for fragment in astuple(self)]


_STYLE = """\
*,*::before,*::after{box-sizing:border-box}
html{-webkit-text-size-adjust:100%;text-size-adjust:100%}
body{font-family:"Source Sans",system-ui,"Segoe UI",sans-serif;line-height:1.4;margin:0;color:#222}
.page-wrapper{max-width:68em;margin:0 auto;padding:0 1em}
.site-header{border-bottom:1px solid #ccc;margin-bottom:1em}
.site{font-size:1.4em;font-weight:bold;margin:.5em 0}
.nav{padding:0;margin:0 0 .5em}
.nav .menu-item{display:inline-block;margin-right:1em}
.crumbs{font-size:.85em;color:#666;margin:.5em 0}
.content{float:left;width:44em;max-width:100%}
.article__paragraph{margin:0 0 1em}
.sidebar{margin-left:46em;background:#eee;padding:.5em 1em;border-radius:4px}
.sidebar .menu-item{list-style:none;margin:.2em 0}
.link{color:#0645ad;text-decoration:none}
.link:hover,.link:focus{text-decoration:underline}
.ad{border:1px solid #ccc;padding:0 1em;margin:1em 0}
.site-footer{clear:both;border-top:1px solid #ccc;padding:1em 0;font-size:.9em}
@media (max-width:60em){.content{float:none;width:auto}.sidebar{margin-left:0}}
@media print{.site-header,.sidebar,.site-footer,.ad{display:none}}
"""

_SCRIPT = """\
(function (window, document) {
  "use strict";
  var settings = {
    "version": "4.2.11",
    "locale": document.documentElement.lang,
    "consent": {"required": true, "categories": ["necessary", "statistics", "marketing"]},
    "slots": [
      {"id": "slot-top", "sizes": [[728, 90], [970, 250]], "lazy": false},
      {"id": "slot-side", "sizes": [[300, 250], [300, 600]], "lazy": true},
      {"id": "slot-bottom", "sizes": [[728, 90]], "lazy": true}
    ],
    "features": {"darkMode": false, "infiniteScroll": false, "stickyHeader": true}
  };
  window.siteSettings = settings;
  window.events = window.events || [];
  function track(name, value) {
    window.events.push({"name": name, "value": value, "at": Date.now()});
  }
  function toggle(element, name, on) {
    if (!element) { return; }
    if (on) { element.classList.add(name); } else { element.classList.remove(name); }
  }
  document.addEventListener("DOMContentLoaded", function () {
    var header = document.querySelector(".site-header");
    var links = document.querySelectorAll(".link");
    for (var i = 0; i < links.length; i += 1) {
      links[i].addEventListener("click", function (event) { track("click", event.target.textContent); });
    }
    window.addEventListener("scroll", function () {
      toggle(header, "site-header--sticky", settings.features.stickyHeader && window.scrollY > 80);
    }, {"passive": true});
    track("view", document.title);
  });
}(window, document));
"""

THEME = Theme(
    head=(
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="generator" content="invitro 1.0">\n'
        '<meta property="og:type" content="article">\n'
        f"<style>\n{_STYLE}</style>\n<script>\n{_SCRIPT}</script>\n</head>\n"
        '<body class="page page--article layout--two-columns">\n<div class="page-wrapper" id="top">\n'
        '<header class="site-header" role="banner">\n<p class="site">'
    ),
    item='<li class="menu-item menu-item--page" role="none"><span class="menu-item__label" data-slot="menu">',
    item_end="</span></li>\n",
    link=' class="link link--default" data-track="click"',
    paragraph='<p class="article__paragraph">',
    main=(
        '<main class="content" role="main">\n<div class="content__inner">\n'
        '<article class="article article--standard" itemscope>\n'
    ),
    main_end="</article>\n</div>\n</main>\n",
)
"""The theme of all hosts."""
