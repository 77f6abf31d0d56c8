plots/key.py queue
