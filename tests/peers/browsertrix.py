"""A WACZ as Browsertrix makes it, written by warcio and py-wacz: page lists, POST, records about pages."""

from __future__ import annotations

import io
import json
import warnings
from typing import TYPE_CHECKING

from warcio.statusandheaders import StatusAndHeaders  # type: ignore[import-untyped]
from warcio.warcwriter import WARCWriter  # type: ignore[import-untyped]

from tests.peers.installed import run

if TYPE_CHECKING:
    from pathlib import Path

    from warcio.recordloader import ArcWarcRecord  # type: ignore[import-untyped]

URL = "https://shop.example.org/"
SCRIPT = """<!doctype html><meta charset="utf-8"><title>Shop</title><h1>Shop of fish</h1>
<p id="out">waiting</p>
<script>
async function ask(page) {
  const response = await fetch("/api", {method: "POST", headers: {"Content-Type": "application/json"},
                                        body: JSON.stringify({query: "fish", page})});
  return (await response.json()).name;
}
(async () => { document.getElementById("out").textContent = (await ask(1)) + " and " + (await ask(2)); })();
</script>"""
PNG = b"\x89PNG\r\n\x1a\nscreenshot"
DATE = "2026-06-12T18:30:00Z"
PAGES = [
    {"format": "json-pages-1.0", "id": "pages", "title": "Seed Pages", "hasText": True},
    {"id": "1", "url": URL, "title": "Shop", "ts": DATE, "seed": True, "depth": 0, "text": "Shop of fish"},
]
EXTRA = [
    {"format": "json-pages-1.0", "id": "extra", "title": "Non-Seed Pages"},
    {"id": "2", "url": URL + "about", "title": "About", "ts": DATE, "depth": 1},
]


def make_warc(path: Path) -> Path:
    """The WARC file: two pages, two responses to POST of one URL, and what a browser adds."""
    with path.open("wb") as stream, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        writer = WARCWriter(stream, gzip=True)

        def exchange(url: str, mime: str, body: bytes, posted: bytes = b"") -> None:
            head = StatusAndHeaders("200 OK", [("Content-Type", mime)], protocol="HTTP/1.1")
            made = {"http_headers": head, "payload": io.BytesIO(body)}
            response = writer.create_warc_record(
                url, "response", warc_headers_dict={"WARC-Date": DATE}, **made
            )
            method = "POST" if posted else "GET"
            headers = [("Host", "shop.example.org")]
            headers += (
                [("Content-Type", "application/json"), ("Content-Length", str(len(posted)))] if posted else []
            )
            asked = StatusAndHeaders(
                f"{method} /{url.removeprefix(URL)} HTTP/1.1", headers, is_http_request=True
            )
            told = {
                "WARC-Date": DATE,
                "WARC-Concurrent-To": response.rec_headers.get_header("WARC-Record-ID"),
            }
            request = writer.create_warc_record(
                url, "request", http_headers=asked, payload=io.BytesIO(posted), warc_headers_dict=told
            )
            writer.write_request_response_pair(request, response)

        def resource(name: str, mime: str, body: bytes) -> ArcWarcRecord:
            told = {"WARC-Date": DATE}
            made = {"payload": io.BytesIO(body), "warc_content_type": mime, "warc_headers_dict": told}
            writer.write_record(writer.create_warc_record(name, "resource", **made))

        writer.write_record(
            writer.create_warcinfo_record(path.name, {"software": "Browsertrix-Crawler 1.0.0"})
        )
        exchange(URL, "text/html", SCRIPT.encode())
        exchange(URL + "about", "text/html", b"<title>About</title><p>About us")
        for page, name in ((1, "Guppy"), (2, "Tetra")):
            body = json.dumps({"query": "fish", "page": page}, separators=(",", ":")).encode()
            exchange(URL + "api", "application/json", json.dumps({"name": name}).encode(), body)
        resource(f"urn:pageinfo:{URL}", "application/json", json.dumps({"pageid": "1", "url": URL}).encode())
        resource(f"urn:text:{URL}", "text/plain", b"Shop of fish")
        resource(f"urn:view:{URL}", "image/png", PNG)
        resource(f"urn:thumbnail:{URL}", "image/jpeg", b"\xff\xd8thumbnail")
    return path


def make_wacz(folder: Path, wacz: str) -> Path:
    """The WACZ; `wacz` is the program of py-wacz."""
    warc = make_warc(folder / "rec-crawl.warc.gz")
    for name, lines in (("pages", PAGES), ("extra", EXTRA)):
        (folder / f"{name}.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    words = ["create", "-f", str(warc), "-o", str(folder / "crawl.wacz"), "-p", str(folder / "pages.jsonl")]
    run(wacz, *words, "-e", str(folder / "extra.jsonl"))
    return folder / "crawl.wacz"
