# height 420
set multiplot layout 1,2 margins 0.075,0.985,0.13,0.91 spacing 0.055,0
sizes = "32 128 512 2048"
of(m, c, from) = strcol("method") eq m && column("clusters") == word(sizes, c) && \
    strcol("centroids") eq from && strcol("distance") eq "euclidean" && column("visited") > 0 \
    ? column("bytes_read") : NaN
set logscale xy
set format y @ten
set yrange [6e-5:1]
set xrange [3e4:1.3e6]
set xtics ("50 k" 5e4, "100 k" 1e5, "200 k" 2e5, "500 k" 5e5, "1 M" 1e6)
set xlabel "bytes, of keys, values and index"
set ylabel "error of the output" offset 1
set title "k-means after RoPE" font ",10" offset 0,-0.6
set key bottom left Left reverse font ",9"
plot for [c=1:4] csv using (of("kmeans", c, "own")):"error" with linespoints ls c \
        title "C = ".word(sizes, c), \
    for [c=1:4] csv using (of("kmeans", c, "trained")):"error" with linespoints ls c dt 2 \
        title (c == 1 ? "centroids of other documents" : "")
set title "k-means before RoPE" font ",10" offset 0,-0.6
set ylabel ""
unset key
plot for [c=1:4] csv using (of("kmeans-unroped", c, "own")):"error" with linespoints ls c, \
    for [c=1:4] csv using (of("kmeans-unroped", c, "trained")):"error" with linespoints ls c dt 2
unset multiplot
