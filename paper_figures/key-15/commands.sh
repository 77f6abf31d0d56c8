plots/key.py exact
