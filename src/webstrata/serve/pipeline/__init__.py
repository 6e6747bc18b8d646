"""The pipeline: stages from crawl to report, each run only where its parts are missing or stale.

`stages` is the table of stages, `jobs` what a stage has to do, `plan` which of it is due and why, `run` goes
through it.
"""

from webstrata.serve.pipeline.run import Outcome, Pipeline
from webstrata.serve.pipeline.stages import STAGES

__all__ = ["STAGES", "Outcome", "Pipeline"]
