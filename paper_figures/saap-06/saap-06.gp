# height 420
set multiplot layout 1,2 margins 0.075,0.985,0.13,0.91 spacing 0.055,0
ways = "'far pairs' 'residual' 'near pairs too'"
of(way, method) = strcol("way") eq way && strcol("method") eq method && column("visited") > 0 \
    ? column("selectivity") : NaN
set logscale xy
set format y @ten
set xrange [0.018:0.5]
set xtics (0.02, 0.05, 0.1, 0.2, 0.4)
set yrange [4e-4:1]
set xlabel "selectivity, the dense part counted"
set key bottom left Left reverse font ",9"
do for [rope in "before after"] {
    saap = rope eq "before" ? "saap" : "saap-roped"
    kmeans = rope eq "before" ? "kmeans-unroped" : "kmeans"
    set title rope." RoPE" font ",10" offset 0,-0.6
    set ylabel (rope eq "before" ? "error of the output" : "") offset 1
    plot for [w=1:3] csv using (of(word(ways, w), saap)):"error" with linespoints ls method(saap) \
            dt w pt int(word("9 8 13", w)) title "SAAP, ".word(ways, w), \
        csv using (of("far pairs", kmeans)):"error" with linespoints ls method(kmeans) \
            title "k-means, the query itself"
}
unset multiplot
