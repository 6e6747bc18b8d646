"""Settings of the verb `serve`."""

from __future__ import annotations

from dataclasses import dataclass

from webstrata.collection.settings import Settings, setting

_port = ("between 0 and 65534", lambda value: 0 <= value < 65535)
_origin = (
    "an origin as https://replay.example.org, or empty",
    lambda value: not value or (value.startswith(("http://", "https://")) and value.count("/") == 2),
)


@dataclass(frozen=True, kw_only=True)
class ServeSettings(Settings):
    """Where pages and archived captures are served, and who may write."""

    host: str = setting("127.0.0.1", "Address or name to listen at.")
    port: int = setting(
        8080, "Port of the pages; the next one serves replay. 0 for any two free ports.", check=_port
    )
    replay_origin: str = setting(
        "",
        "Origin that browsers reach the replay port at, as https://replay.example.org, where a proxy is in "
        "front; default: the same host with the next port.",
        check=_origin,
    )
    public: bool = setting(False, "Serve for others: read-only, without labels and crawl control.")
    token_file: str = setting(
        "", "File with the token that allows labels and crawl control; default: nothing can be written."
    )
    redirect_to_exact: bool = setting(
        False,
        "Redirect requests for other times to the memento itself (pattern 2.3 of RFC 7089), instead of "
        "sending it at once (2.2).",
    )
    viewer: str = setting(
        "", "Folder with a copy of ReplayWeb.page to replay captures with; default: replay without scripts."
    )
    cors_origins: tuple[str, ...] = setting(
        (),
        "Origins whose pages may read JSON documents, as https://notebook.example.org; never the replay "
        "origin; default: none.",
    )
    model: tuple[str, ...] = setting(
        (), "Model files of `classify train`; their scores and reasons are shown for hosts."
    )
