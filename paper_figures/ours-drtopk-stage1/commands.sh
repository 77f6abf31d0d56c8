plots/published_runs.py stage1
