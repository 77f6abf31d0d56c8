plots/tradeoff.py drtopk
