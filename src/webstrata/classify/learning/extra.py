"""What learning needs beyond the base install: scikit-learn and LightGBM, the extra ``[classify]``.

Imported before them by the modules that learn, so that one sentence says what to install.

Examples
--------
>>> import webstrata.classify.learning.extra
>>> webstrata.classify.learning.extra.sklearn.__name__
'sklearn'
"""

from __future__ import annotations

from webstrata.errors import MissingExtraError

try:
    import lightgbm  # noqa: F401
    import sklearn  # noqa: F401
except ImportError as error:  # pragma: no cover (the development install has it)
    raise MissingExtraError(
        f"models are learned with {error.name}, which is not installed; "
        "`pip install 'webstrata[classify]'` brings it"
    ) from error
