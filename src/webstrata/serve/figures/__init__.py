"""Pictures, all made with one chart library (Altair, the extra `plots`) and in one style.

A room returns data, a module here makes charts of it, and `style` writes them: as SVG files, and as one HTML
page that needs no network.
"""

from webstrata.serve.figures.style import write_figures

__all__ = ["write_figures"]
