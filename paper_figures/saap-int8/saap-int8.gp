# height 420
methods = "topk sparq bucketed kmeans kmeans-unroped quest"
names = "'exact top-k' 'SparQ, r = 16' 'bucketed, k_b = 1' 'k-means, after RoPE' \
'k-means, before RoPE' 'Quest, pages of 16'"
of(m, bits) = strcol("method") eq word(methods, m) && column("bits") == bits \
    && column("visited") > 0 ? column("bytes_read") : NaN
set logscale xy
set format y @ten
set yrange [1e-5:1]
set xrange [2.4e4:2e6]
set xtics ("50 k" 5e4, "100 k" 1e5, "200 k" 2e5, "500 k" 5e5, "1 M" 1e6, "2 M" 2e6)
set xlabel "bytes, of keys, values and index"
set ylabel "error of the output" offset 1
set key outside right top Left reverse font ",9"
stats csv using (strcol("method") eq "full" && column("bits") == 8 ? column("error") : NaN) nooutput
full = STATS_max
plot for [m=1:6] csv using (of(m, 16)):"error" with linespoints ls m title word(names, m), \
    for [m=1:6] csv using (of(m, 8)):"error" with linespoints ls m dt 2 \
        title (m == 1 ? "keys of 8 bits" : ""), \
    full with lines ls 9 title "all keys, of 8 bits"
