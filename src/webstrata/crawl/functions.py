"""Functions that settings name, as ``module:function``.

A settings file may come with a collection of somebody else, so it must not name code to run: `check_source`
refuses a name that neither an option nor the environment gave.
"""

from __future__ import annotations

import importlib
import os
import re
import sys
from typing import TYPE_CHECKING, Any

from webstrata.errors import SettingError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from webstrata.crawl.settings import CrawlSettings

_FUNCTION = re.compile(r"[A-Za-z_][\w.]*:[A-Za-z_][\w.]*")
NAMING = ("priority", "store_to")
"""Settings that may name a function."""


def is_function_name(text: str) -> bool:
    """Whether a text is ``module:function``.

    Examples
    --------
    >>> is_function_name("mine.crawls:short_first"), is_function_name("scores.tsv")
    (True, False)
    """
    return _FUNCTION.fullmatch(text) is not None


def import_function(name: str, setting: str) -> Callable[..., Any]:
    """The function of a name, from a module on Python's path or in the working folder.

    Examples
    --------
    >>> import_function("math:hypot", "priority")(3, 4)
    5.0
    """
    module, _, path = name.partition(":")
    sys.path.insert(0, "")
    try:
        found: object = importlib.import_module(module)
        for part in path.split("."):
            found = getattr(found, part)
    except (ImportError, AttributeError) as error:
        raise SettingError(f"{setting}: {name} cannot be imported ({error})") from error
    finally:
        sys.path.remove("")
    if not callable(found):
        raise SettingError(f"{setting}: {name} is not a function")
    return found


def check_source(settings: CrawlSettings, options: Mapping[str, object] | None = None) -> None:
    """Refuse a function that a settings file names.

    Examples
    --------
    >>> from webstrata.crawl.settings import CrawlSettings
    >>> check_source(CrawlSettings(priority="mine:first"), {"priority": "mine:first"})
    >>> check_source(CrawlSettings(priority="mine:first"))
    Traceback (most recent call last):
    webstrata.errors.SettingError: priority: a settings file names the function mine:first...
    """
    for setting in NAMING:
        name = getattr(settings, setting)
        given = (options or {}).get(setting) or os.environ.get(f"WEBSTRATA_CRAWL_{setting.upper()}")
        if is_function_name(name) and name != given:
            raise SettingError(
                f"{setting}: a settings file names the function {name}, and files may not name code; give it "
                f"as an option"
            )
