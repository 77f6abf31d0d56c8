plots/key.py example
