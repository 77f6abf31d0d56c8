recallmodel bounds --n 262144 --k 1024,16384,65536 --kb 1 --recall 0.65:0.01:0.99 --csv
