"""The main content of a page, without navigation, advertisements and whatever else surrounds it.

===============  =========================================================================================
``dom``          elements weighed, noise filtered by kind and name (`dom`); the default
``trafilatura``  the package of that name, in its fast mode (extra ``content``)
``slope``        the plateau of the document slope curve (`slope`)
``low-slope``    all its sections of low slope (`slope`)
``stored``       the same as the core finds them in the visible text: what the part `text` keeps
``stored-dom``   those of `dom`, as places in the visible text: what it keeps if settings say so (`places`)
===============  =========================================================================================

`evaluate` measures each on labelled pages.
"""

from webstrata.store.main_content.methods import DEFAULT, METHODS, extract

__all__ = ["DEFAULT", "METHODS", "extract"]
