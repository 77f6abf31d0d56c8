plots/sampling.py sampling
