plots/samaga.py table-2
