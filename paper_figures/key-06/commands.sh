recallmodel simulate --n 2048 --k 256 --kb 1,2,4,8 --input ar1 --rho 0:0.1:0.9 \
    --assignment interleaved,contiguous --shuffle none,once --repetitions 1000 --seed 6 --csv
