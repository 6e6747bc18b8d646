"""The main content of a page, without navigation, advertisements and whatever else surrounds it.

===============  =========================================================================================
``dom``          by the elements of a page and their names (`dom`); the default, and what snapshots keep
``trafilatura``  the package of that name, in its fast mode (extra ``content``)
``slope``        the plateau of the document slope curve (`slope`)
``low-slope``    all its sections of low slope (`slope`)
===============  =========================================================================================

`evaluate` measures each on labelled pages.
"""

from webstrata.store.main_content.methods import DEFAULT, METHODS, check_html, extract

__all__ = ["DEFAULT", "METHODS", "check_html", "extract"]
