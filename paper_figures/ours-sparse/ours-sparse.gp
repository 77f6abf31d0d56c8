# height 460
set multiplot layout 1,2 margins 0.07,0.985,0.12,0.92 spacing 0.05,0
methods = "'kmeans' 'kmeans-unroped' 'saap' 'saap-roped' 'lsh-argmax' 'quest' 'bucketed' 'sparq' \
    'topk' 'random'"
names = "'k-means, after RoPE' 'k-means, before' 'SAAP' 'SAAP, after RoPE' 'Reformer (argmax)' \
    'Quest' 'bucketed, k_b = 1' 'SparQ, r = 16' 'exact top-k' 'random'"
of(m, x) = strcol("method") eq word(methods, m) && column("visited") > 0 ? column(x) : NaN
set logscale xy
set format y @ten
set yrange [1e-5:1.5]
set title "by the bytes that a query reads" font ",10" offset 0,-0.6
set xlabel "bytes of keys, values and index, over those of full attention"
set ylabel "error of the output" offset 1
set xrange [0.025:1]
set xtics (0.03, 0.1, 0.3, 1)
set key bottom left Left reverse font ",9"
plot for [m=1:10] csv using (of(m, "bytes_share")):"error" with linespoints \
    ls method(word(methods, m)) title word(names, m)
set title "by the time that a step takes" font ",10" offset 0,-0.6
set xlabel "time over that of full attention"
set ylabel ""
set xrange [0.08:2]
set xtics (0.1, 0.3, 1, 3)
set arrow 1 from first 1,graph 0 to first 1,graph 1 nohead ls 9
unset key
plot for [m=1:10] csv using (1 / of(m, "ratio")):"error" with linespoints \
    ls method(word(methods, m))
unset multiplot
