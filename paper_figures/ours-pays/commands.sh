plots/pays.py pays
