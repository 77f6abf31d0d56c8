recallmodel --n 262144 --k 64,1024 --kb 1,2,4 --quantile 0.05 --csv
recallmodel --n 262144 --k 64,1024 --kb 1,2,4 --quantile 0.95 --csv
