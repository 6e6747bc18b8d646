"""What a collection holds over HTTP, read-only, with OpenAPI (FastAPI and uvicorn, the extra `serve`).

`links` is the application of the connectivity server, `refusals` the one shape that errors have, `running` an
application on a socket.
"""

from webstrata.errors import MissingExtraError

try:
    import fastapi  # noqa: F401
    import uvicorn  # noqa: F401
except ImportError as _error:
    raise MissingExtraError(
        f"servers are made with {_error.name}, which is not installed; "
        "`pip install 'webstrata[serve]'` brings it"
    ) from _error
