# height 460
set logscale x 2
set logscale y
set format x @two
set xrange [2500:2**27*1.6]
set yrange [0.5:2]
set ytics ("0.5" 0.5, "0.7" 0.7, "0.8" 0.8, "0.9" 0.9, "1" 1, "1.1" 1.1, "1.25" 1.25, \
    "1.5" 1.5, "2" 2)
set xlabel "b, buckets"
set ylabel "predicted / measured time of both stages"
set key top left font ",10" opaque
array sizes[4] = [2**30, 2**29, 2**27, 2**25]
ratio = 0.0
over(n, same) = (ratio = column("predicted_us")/column("time_us"), \
    column("n") == n && (column("b") == column("k")) == same ? ratio : NaN)
plot for [i=1:4] csv using "b":(over(sizes[i], 0)) with points ls i ps 0.9 \
         title sprintf("n = 2^{%d}", log(sizes[i])/log(2)+0.5), \
     for [i=1:4] csv using "b":(over(sizes[i], 1)) with points pt 6 ps 1 lc rgb "#888888" \
         title (i == 1 ? "b = k: selects though nothing is to select" : ""), \
     1 with lines lc rgb "#222222" lw 1 notitle
