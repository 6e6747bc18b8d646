"""The pipeline: from crawl to report, every part built where it is missing or stale.

`plan` derives stages and jobs from the declarations of parts, `jobs` decides which are due, `run` does them,
`build` builds named parts.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from webstrata._lazy import export

if TYPE_CHECKING:
    from webstrata.pipeline.build import build_parts as build_parts
    from webstrata.pipeline.context import Context as Context
    from webstrata.pipeline.plan import list_stages as list_stages
    from webstrata.pipeline.run import Outcome as Outcome
    from webstrata.pipeline.run import Pipeline as Pipeline

export(
    __name__,
    {
        "build": ("build_parts",),
        "context": ("Context",),
        "plan": ("list_stages",),
        "run": ("Outcome", "Pipeline"),
    },
)
