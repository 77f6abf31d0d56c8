# height 420
set multiplot layout 1,2 margins 0.075,0.985,0.13,0.91 spacing 0.055,0
of(m, distance, from) = strcol("method") eq m && column("clusters") == 128 && \
    strcol("centroids") eq from && strcol("distance") eq distance && column("visited") > 0 \
    ? column("selectivity") : NaN
set logscale xy
set format y @ten
set yrange [1e-4:1]
set xrange [0.018:0.5]
set xtics (0.02, 0.05, 0.1, 0.2, 0.4)
set xlabel "selectivity, the dense part counted"
set ylabel "error of the output" offset 1
set key bottom left Left reverse font ",9"
do for [i=1:2] {
    from = i == 1 ? "own" : "trained"
    set title (i == 1 ? "centroids of the document itself" : "centroids of three others") \
        font ",10" offset 0,-0.6
    plot csv using (of("kmeans", "euclidean", from)):"error" with linespoints ls 1 \
            title (i == 1 ? "k-means, after RoPE" : ""), \
        csv using (of("kmeans", "inner product", from)):"error" with linespoints ls 1 dt 2 \
            title (i == 1 ? "spherical, after RoPE" : ""), \
        csv using (of("kmeans-unroped", "euclidean", from)):"error" with linespoints ls 2 \
            title (i == 1 ? "k-means, before RoPE" : ""), \
        csv using (of("kmeans-unroped", "inner product", from)):"error" with linespoints ls 2 dt 2 \
            title (i == 1 ? "spherical, before RoPE" : "")
    set ylabel ""
}
unset multiplot
