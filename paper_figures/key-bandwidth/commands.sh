plots/key.py bandwidth
