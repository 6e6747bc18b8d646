"""What a collection holds over HTTP, read-only, with OpenAPI (FastAPI, the extra `serve`).

`links` is the application of the connectivity server, `refusals` the one shape that errors have. The server
that runs an application is `webstrata.web.server`.
"""

from webstrata.errors import MissingExtraError

try:
    import fastapi  # noqa: F401
except ImportError as _error:
    raise MissingExtraError(
        f"HTTP servers need {_error.name}, which is not installed; install it with "
        "`pip install 'webstrata[serve]'`"
    ) from _error
