plots/key.py decoding runs/keyetal/
