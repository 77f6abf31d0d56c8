plots/tradeoff.py profiles
