# height 700
set multiplot layout 2,2 margins 0.07,0.81,0.08,0.95 spacing 0.05,0.11
array heads[4] = ["2 0", "8 3", "15 6", "28 0"]
methods = "'saap' 'saap-roped' 'kmeans-unroped trained' 'kmeans trained' 'kmeans' 'lsh-magicpig' \
    'lsh-argmax' 'lsh-gray' 'quest' 'bucketed' 'sparq' 'topk' 'random'"
names = "'saap, before RoPE' 'saap, after' 'k-means, before' 'k-means, after' 'k-means, own keys' \
    'MagicPIG' 'Reformer (argmax)' 'KDEformer (Gray)' 'Quest' 'bucketed, k_b = 1' 'SparQ, r = 16' \
    'exact top-k' 'random'"
colours = "#0072B2 #0072B2 #D55E00 #D55E00 #D55E00 #009E73 #CC79A7 #E69F00 #56B4E9 #6A3D9A #6A3D9A \
    #000000 #aaaaaa"
dashes = "1 2 1 2 4 1 1 1 1 1 2 1 2"
marks = "7 6 9 8 8 5 13 11 3 1 2 0 0"
do for [m=1:13] {
    eval sprintf("set style line %d lc rgb '%s' dt %s pt %s lw 1.5 ps 0.6", 20 + m, \
                 word(colours, m), word(dashes, m), word(marks, m))
}
of(m, h) = strcol("method") eq word(methods, m) && strcol("layer") eq word(heads[h], 1) \
    && column("visited") > 0 ? column("selectivity") : NaN
set logscale xy
set xrange [0.0175:0.5]
set xtics (0.02, 0.05, 0.1, 0.2, 0.4)
set format y @ten
set key at screen 0.995,0.94 right Right font ",9" spacing 1.25
do for [h=1:4] {
    set title "layer ".word(heads[h], 1).", head ".word(heads[h], 2) font ",10" offset 0,-0.6
    set xlabel (h > 2 ? "selectivity, the dense part counted" : "")
    set ylabel (h % 2 ? "error of the output" : "") offset 1
    set yrange [(h == 2 ? 2e-8 : 1e-5):1.2]
    plot for [m=1:13] csv using (of(m, h)):"error" with linespoints ls 20 + m \
        title word(names, m)
    unset key
}
unset multiplot
