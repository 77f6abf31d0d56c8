plots/key.py bandwidth runs/keyetal/
