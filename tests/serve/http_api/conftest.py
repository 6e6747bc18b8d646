"""The collection and the server of the tests of pages."""

from tests.serve.page.conftest import ready, url

__all__ = ["ready", "url"]
