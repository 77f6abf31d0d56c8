recallmodel cost --n 2^20 --k 256 --m 1 --csv
