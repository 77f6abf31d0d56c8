plots/tradeoff.py keyetal
