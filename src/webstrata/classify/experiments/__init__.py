"""The experiments of SPAM on any collection with labels: its tables 1–14 and its figures 1 and 2.

===========  ==============================================================================================
table 1      hosts and labels of each snapshot (figure 1)
table 4      the addresses that serve most hosts
table 5      how many hosts have each label
table 6, 7   feature sets and their AUC, with deviation, and whether it differs from that of content B
table 8, 9   the same for several tasks, and averages
table 10     link features, static and in motion: learned from together, and apart and combined
table 11     the same by bagged cost-sensitive trees alone
table 12     content in motion
table 13     what each feature set cost
table 14     configurations: sets, AUC and cost
weights      how much of the ensemble each feature set is
models       the ensemble beside the best single model, known only afterwards
figure 2     AUC by the share of labels
===========  ==============================================================================================

Feature sets that are not there are left out of every table; a table without rows is not there.
"""

from webstrata.classify.experiments.run import Experiment, run_experiment
from webstrata.classify.experiments.sensitivity import Sensitivity, measure_sensitivity
from webstrata.classify.experiments.trial import Trial, TrialOutcome

__all__ = ["Experiment", "Sensitivity", "Trial", "TrialOutcome", "measure_sensitivity", "run_experiment"]
