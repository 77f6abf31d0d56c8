plots/key.py exact runs/keyetal/
