"""Labels, models, ensembles and their evaluation."""
