"""Small crawls, written as the crawler leaves them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from webstrata.archive.cdxj import Line
from webstrata.archive.warc import Capture, WarcWriter
from webstrata.web.fingerprint import fingerprint

if TYPE_CHECKING:
    from pathlib import Path


@dataclass(frozen=True)
class Answer:
    """What a server said."""

    body: bytes = b""
    mime: str = "text/html"
    headers: bytes = b""
    status: int = 200
    redirect: str | None = None


def write_crawl(folder: Path, answers: dict[str, bytes | Answer], *, max_bytes: int = 1 << 30) -> Path:
    """The folder of a crawl that got these answers, in this order."""
    folder.mkdir(parents=True)
    with (
        WarcWriter(folder, "crawl", max_bytes=max_bytes) as writer,
        (folder / "captures.cdxj").open("wb") as out,
    ):
        for second, (url, given) in enumerate(answers.items()):
            answer = given if isinstance(given, Answer) else Answer(given)
            kind = b"" if b"ontent-type" in answer.headers.lower() else b"Content-Type: text/html\r\n"
            head = b"HTTP/1.1 %d x\r\n" % answer.status + kind + answer.headers + b"\r\n"
            capture = Capture(url=url, date=10**18 + second * 10**9, head=head, body=answer.body)
            line = Line(
                url=url,
                date=capture.date,
                mime=answer.mime,
                status=answer.status,
                digest=capture.digest,
                redirect=answer.redirect,
                fingerprint=fingerprint(answer.body) if answer.mime == "text/html" else None,
                **writer.write(capture)._asdict(),
            )
            out.write(line.to_bytes())
    return folder
