plots/samaga.py table-3
