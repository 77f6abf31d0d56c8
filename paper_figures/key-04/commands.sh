plots/key.py losses runs/keyetal/
