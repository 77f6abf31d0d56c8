plots/key.py shapes
