plots/key.py shapes runs/keyetal/
