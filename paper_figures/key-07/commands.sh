plots/key.py scores
