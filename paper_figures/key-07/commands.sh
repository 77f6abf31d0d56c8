plots/key.py scores runs/keyetal/
