recallmodel simulate --n 2048 --k 256 --kb 1 --b 256 --input ar1 \
    --rho 0,0.1,0.2,0.3,0.4,0.5,0.6,0.7,0.8,0.9,0.95,0.98,0.99,0.995,0.998,0.999,0.9995,0.9999 \
    --assignment interleaved,contiguous --repetitions 400 --seed 9 --csv
recallmodel simulate --n 2048 --k 256 --kb 4 --b 64 --input ar1 \
    --rho 0,0.1,0.2,0.3,0.4,0.5,0.6,0.7,0.8,0.9,0.95,0.98,0.99,0.995,0.998,0.999,0.9995,0.9999 \
    --assignment interleaved,contiguous --repetitions 400 --seed 9 --csv
