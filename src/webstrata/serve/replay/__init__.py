"""The replay origin: a CDX server, Memento, replay without scripts, and WARC files by range requests.

`application` has the routes. `lines` reads the indexes of all snapshots as one, `query`, `rows` and `cdx`
answer CDX queries. `holdings` finds captures, `memento` writes what RFC 7089 asks for, `replies` makes
responses of captures, `rewriting` what browsers get of pages and stylesheets. `files` serves WARC files, and
`viewer` a copy of ReplayWeb.page.

Nothing here is private, and nothing of the archive is ever sent from another origin.
"""

from webstrata.serve.replay.application import make_replay_app

__all__ = ["make_replay_app"]
