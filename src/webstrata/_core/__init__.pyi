from webstrata._core import collection as collection

__all__ = ["__version__", "collection"]

__version__: str
