plots/key.py losses
