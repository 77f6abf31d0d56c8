plots/samaga.py ridge
