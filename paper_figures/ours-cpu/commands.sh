plots/tradeoff.py cpu
