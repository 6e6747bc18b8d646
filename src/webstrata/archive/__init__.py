"""Formats of web archives, read and written: WARC, ARC, WACZ, TREC, WET, CDXJ, sitemaps, folders of HTML."""

from __future__ import annotations

from typing import TYPE_CHECKING

from webstrata._lazy import export

if TYPE_CHECKING:
    from webstrata.archive.cdxj import Index as Index
    from webstrata.archive.cdxj import build_cdxj as build_cdxj
    from webstrata.archive.record import Record as Record
    from webstrata.archive.wacz import WaczWriter as WaczWriter
    from webstrata.archive.wacz import read_wacz as read_wacz
    from webstrata.archive.warc import WarcWriter as WarcWriter
    from webstrata.archive.warc import read_record as read_record
    from webstrata.archive.warc import read_records as read_records

export(
    __name__,
    {
        "cdxj": ("Index", "build_cdxj"),
        "record": ("Record",),
        "wacz": ("WaczWriter", "read_wacz"),
        "warc": ("WarcWriter", "read_record", "read_records"),
    },
)
