plots/published_runs.py concat
