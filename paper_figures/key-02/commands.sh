recallmodel --n 11 --k 4 --b 3 --kb 2 --csv
