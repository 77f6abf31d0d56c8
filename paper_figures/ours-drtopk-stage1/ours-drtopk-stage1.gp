# height 460
set logscale x 2
set format x @two
set xrange [3:400000]
set yrange [0:1250]
set xlabel "elements in a bucket"
set ylabel "GB/s of reading the row once"
set key bottom right font ",10" opaque
set arrow 1 from 3,1134 to 400000,1134 nohead lc rgb "#222222" lw 1.4 dt 3
set label 1 "1134 GB/s: memory of a V100S" at 3.4,1175 left font ",10"
of(k_b, kernel, size) = column("k_b") == k_b && strcol("kernel") eq kernel && column("n") == size
big = 2**30
half = 2**29
plot csv using (of(1, "warp", big) ? column("size") : NaN):"gb_s":"gb_s_low":"gb_s_high" \
         with yerrorbars ls 1 lw 1 ps 0.9 title "k_b = 1, a warp a bucket, n = 2^{30}", \
     csv using (of(1, "warp", half) ? column("size") : NaN):"gb_s" with points ls 6 ps 0.9 \
         title "the same, n = 2^{29}", \
     csv using (of(1, "warp", big) ? column("size") : NaN):"gb_s_predicted" with lines ls 1 lw 1.2 \
         title "the profile v100s drtopk, n = 2^{30}", \
     csv using (of(1, "shared", half) ? column("size") : NaN):"gb_s" with points ls 3 ps 1.1 \
         title "k_b = 1, by way of shared memory, n = 2^{29}", \
     csv using (of(2, "shared", big) ? column("size") : NaN):"gb_s" with points ls 2 ps 1.1 \
         title "k_b = 2, by way of shared memory, n = 2^{30}", \
     csv using (of(2, "warp", big) ? column("size") : NaN):"gb_s" with points ls 4 ps 1.1 \
         title "k_b = 2, an earlier version, n = 2^{30}"
