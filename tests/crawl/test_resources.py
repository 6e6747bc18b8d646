"""What pages need to be shown is fetched with them: through stylesheets, on other hosts, and no further."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.crawl.origin import Origin, crawl, redirect, reply

if TYPE_CHECKING:
    from pathlib import Path

CSS = "text/css"
PAGE = """<!doctype html><html><head><base href="/base/">
<link rel="stylesheet" href="a.css"><link rel="alternate stylesheet" href="b.css">
<link rel="icon" href="icon.png"><link rel="apple-touch-icon" href="touch.png">
<link rel="mask-icon" href="mask.svg">
<link rel="manifest" href="site.webmanifest"><link rel="modulepreload" href="module.js">
<link rel="preload" as="image" href="pre.png" imagesrcset="pre-1.png 1x, pre-2.png 2x">
<link rel="dns-prefetch" href="hint"><link rel="preconnect" href="hint-two">
<style>@import url("inline.css"); p { background: url(paper.png) }</style>
<script src="run.js"></script></head>
<body background="back.gif"><div style="background:url('attr.png')">words of its own</div>
<img src="one.png" srcset="one-1.png 1x, one-2.png 2x">
<picture><source srcset="two.webp"><img src="two.png"></picture>
<video src="film.mp4" poster="poster.jpg"><track src="words.vtt"></video><audio src="sound.ogg"></audio>
<object data="object.svg"></object><embed src="embed.swf"><input type="image" src="button.png">
<input type="text" src="none.png"><table><tr><td background="cell.png"></td></tr></table>
<svg><style>rect { fill: url(svg-style.png) }</style><image href="in-svg.png"/>
<use xlink:href="sprite.svg#a"/><use href="#local"/></svg><iframe src="/frame"></iframe>
<template><img src="never.png"></template><a href="/next">next</a></body></html>"""
PARTS = """a.css b.css icon.png touch.png mask.svg site.webmanifest module.js pre.png pre-1.png pre-2.png
inline.css paper.png run.js back.gif attr.png one.png one-1.png one-2.png two.webp two.png film.mp4 poster.jpg
words.vtt sound.ogg object.svg embed.swf button.png cell.png svg-style.png in-svg.png sprite.svg"""


@pytest.mark.parametrize("wanted", [True, False])
def test_whatever_a_page_names_is_fetched_with_it_on_request_alone(tmp_path: Path, *, wanted: bool) -> None:
    with Origin() as origin:
        origin.say("/", reply(PAGE))
        origin.say("/frame", reply("<title>framed</title>"))
        origin.say("/next", reply("<title>linked</title>"))
        manifest = '{"icons": [{"src": "app.png"}], "start_url": "/no"}'
        origin.say("/base/site.webmanifest", reply(manifest, kind="application/json"))
        crawl(tmp_path, origin, "http://a.test/", resources=wanted)
    # the icon is that of the pages that name none
    parts = {"/favicon.ico", *(f"/base/{name}" for name in [*PARTS.split(), "app.png"])} if wanted else set()
    assert set(origin.paths()) == {"/", "/frame", "/next"} | parts
    assert len(origin.paths()) == len(set(origin.paths()))


def test_what_a_stylesheet_names_is_relative_to_the_stylesheet(tmp_path: Path) -> None:
    with Origin() as origin:
        origin.say("/", reply('<link rel="stylesheet" href="/css/a.css"><link rel=icon href=/i>'))
        sheet = '@charset "windows-1252"; @import "deep/b.css"; a { background: url(caf\xe9.png) }'
        origin.say("/css/a.css", reply(sheet.encode("windows-1252"), kind=CSS))
        origin.say("/css/deep/b.css", reply("@font-face { src: url(../../font.woff2) }", kind=CSS))
        crawl(tmp_path, origin, "http://a.test/", resources=True)
    assert sorted(origin.paths()) == [
        "/", "/css/a.css", "/css/caf%C3%A9.png", "/css/deep/b.css", "/font.woff2", "/i",
    ]  # fmt: skip


def test_stylesheets_that_import_each_other_without_end_are_left_after_some_steps(tmp_path: Path) -> None:
    with Origin() as origin:
        origin.say("/", reply('<link rel="stylesheet" href="/1.css"><link rel=icon href=/i>'))
        for number in range(1, 40):
            origin.say(f"/{number}.css", reply(f"@import '{number + 1}.css';", kind=CSS))
        crawl(tmp_path, origin, "http://a.test/", resources=True)
    assert max(int(path[1:-4]) for path in origin.paths() if path.endswith(".css")) == 9


@pytest.mark.parametrize("offsite", [True, False])
def test_the_schedule_filter_chooses_pages_and_by_choice_their_resources(
    tmp_path: Path, *, offsite: bool
) -> None:
    """As `wget -p -H`: what a stored page needs is fetched wherever it lies, what it links to is not."""
    with Origin() as origin:
        html = '<link rel=icon href=/i><a href="http://b.test/page">b</a><img src="http://b.test/a.png">'
        origin.say("a.test/", reply(html + '<link rel=stylesheet href="http://b.test/moved.css">'))
        origin.say("b.test/moved.css", redirect("http://c.test/a.css"))
        origin.say("c.test/a.css", reply("a { background: url(deep.png) }", kind=CSS))
        origin.say("b.test/page", reply("<title>page</title>"))
        crawl(
            tmp_path, origin, "http://a.test/", resources=True, offsite_resources=offsite,
            schedule="HostEndsWith(a.test)",
        )  # fmt: skip
    assert set(origin.paths("b.test")) == ({"/a.png", "/moved.css"} if offsite else set())
    assert set(origin.paths("c.test")) == ({"/a.css", "/deep.png"} if offsite else set())


def test_resources_lie_as_deep_as_their_page_and_obey_robots_txt(tmp_path: Path) -> None:
    with Origin() as origin:
        origin.say("/robots.txt", reply("User-agent: *\nDisallow: /no", kind="text/plain"))
        origin.say(
            "/", reply('<link rel=icon href=/i><img src="/a.png"><img src="/no.png"><a href="/b">b</a>')
        )
        crawl(tmp_path, origin, "http://a.test/", resources=True, max_depth=0)
    assert sorted(origin.paths()) == ["/", "/a.png", "/i"]


def test_resources_are_no_pages(tmp_path: Path) -> None:
    with Origin() as origin:
        origin.say("/", reply('<link rel="stylesheet" href="/a.css"><img src="/a.png">'))
        origin.say("/a.css", reply("a { background: url(b.png) }", kind=CSS))
        for name in ("a", "b"):
            origin.say(f"/{name}.png", reply(name, kind="image/png"))
        found = crawl(tmp_path, origin, "http://a.test/", resources=True)
    assert list(found.snapshot.urls) == ["http://a.test/"]
    assert found.stored == {
        f"http://a.test/{name}" for name in ("", "a.css", "a.png", "b.png", "favicon.ico")
    }
