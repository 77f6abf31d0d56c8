plots/published_runs.py recall
