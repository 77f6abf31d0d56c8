plots/exact.py roof
