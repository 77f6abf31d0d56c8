plots/key.py decoding
