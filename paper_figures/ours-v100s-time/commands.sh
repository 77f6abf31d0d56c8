plots/published_runs.py time
