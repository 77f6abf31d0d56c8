plots/key.py queue runs/keyetal/
