# height 440
set multiplot layout 1,3 title "n = 262144, k = 1024, 8 rows, float32" font ",10" \
    margins 0.075,0.985,0.24,0.86 spacing 0.03,0
set logscale x 10
set logscale y 10
set xlabel "us a call, both stages" offset 0,0.4
set yrange [0.1:5e-5]
ones(x) = strcol("kernel") eq "samaga" && column("k_b") == 1 ? x : NaN
# Labels stand left of the points whose right side is taken.
left(k_b) = k_b == 4 || k_b == 5 || k_b == 10
more(x) = strcol("kernel") eq "samaga" && column("k_b") > 1 ? x : NaN
jax(x) = strcol("kernel") eq "approx_max_k" ? x : NaN
line(name, x) = strcol("kernel") eq name ? x : NaN
error(recall) = 1 - recall
unset key
array title[3] = ["TPU v5e, as printed", "H200, this project's kernels", "EPYC (Zen 5), one thread"]
columns = "tpu_us h200_us cpu_us"
array low[3] = [15, 18, 150]
array high[3] = [900, 130, 900]
array ticks[3] = ["20, 50, 100, 200, 500", "20, 30, 50, 100", "200, 300, 400, 600, 800"]
do for [p=1:3] {
    c = word(columns, p)
    set title title[p] font ",10" offset 0,-0.6
    set xrange [low[p]:high[p]]
    eval "set xtics (".ticks[p].")"
    set ylabel (p == 1 ? "recall error, 1 - recall" : "") offset 1
    if (p == 1) { set format y @ten } else { set format y "" }
    plot csv using (ones(column(c))):(error(column("recall"))) with linespoints ls 1, \
        csv using (more(left(column("k_b")) ? NaN : column(c))):(error(column("recall"))): \
            (strcol("k_b")) with labels left point ls 2 offset 0.7,0.1 font ",9", \
        csv using (more(left(column("k_b")) ? column(c) : NaN)):(error(column("recall"))): \
            (strcol("k_b")) with labels right point ls 2 offset -0.7,-0.1 font ",9", \
        csv using (jax(p == 1 ? column(c) : NaN)):(error(column("recall"))) with points ls 4, \
        csv using (line("exact", p > 1 ? column(c) : NaN)):(0.1):(0):(5e-5 - 0.1) \
            with vectors nohead lw 1.6 lc rgb "#222222", \
        csv using (line("torch.topk", p == 2 ? column(c) : NaN)):(0.1):(0):(5e-5 - 0.1) \
            with vectors nohead lw 1.6 dt 2 lc rgb "#222222"
}
unset border; unset tics; unset grid; unset title; unset xlabel; unset ylabel; unset logscale
set lmargin at screen 0.05; set rmargin at screen 0.99
set bmargin at screen 0.005; set tmargin at screen 0.1
set key center center horizontal maxrows 1 reverse Left
set yrange [0:1]
set xrange [0:1]
plot 2 with linespoints ls 1 title "k_b = 1", 2 with points ls 2 title "larger k_b, as written", \
    2 with points ls 4 title "approx\\_max\\_k", \
    2 with lines lw 1.6 lc rgb "#222222" title "exact top-k, ours", \
    2 with lines lw 1.6 dt 2 lc rgb "#222222" title "torch.topk"
unset multiplot
