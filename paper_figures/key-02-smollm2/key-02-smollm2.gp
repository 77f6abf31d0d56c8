# height 400
set multiplot layout 1,4 margins 0.065,0.985,0.26,0.91 spacing 0.055,0
set logscale x 2
set xrange [2.4:30]
set xtics (3, 6, 12, 24)
set xlabel "us a call"
tasks = "perplexity error error"
names = "'SmolLM2: perplexity, k = n/16' 'SmolLM2: output error, k = n/16' \
    'SmolLM2: output error, k = n/8'"
do for [c=0:3] {
    k = c == 3 ? 192 : 96
    task = c ? word(tasks, c) : "repetition"
    set title (c == 0 ? "Key et al.: Repetition, k = n/17" : word(names, c)) font ",9" offset 0,-0.6
    set ylabel (c == 0 ? "over that of exact top-k" : "") offset 0
    if (c > 1) { set logscale y 2 } else { unset logscale y }
    if (c == 0) { set yrange [0.75:1.05] }
    if (c == 1) { set yrange [0.96:1.04] }
    if (c > 1) { set yrange [0.95:2.1]; set ytics (1, 1.2, 1.4, 1.6, 1.8, 2) }
    if (c == 3) { set key at screen 0.53,0.015 center bottom vertical maxrows 1 reverse Left \
        font ",9" } else { unset key }
    of(k_b) = strcol("task") eq task && column("k") == k && column("k_b") == k_b \
        && strcol("source") eq (c == 0 ? "keyetal" : "smollm2") \
        && strcol("assignment") eq "interleaved" ? column("time_us") : NaN
    plot for [i=1:3] csv using (of(2**(i-1))):"relative" with points ls i ps 1.2 \
             title sprintf("k_b = %d", 2**(i-1)), \
         for [i=1:3] csv using (column("candidates_over_k") == 1 ? of(2**(i-1)) : NaN) \
             :"relative" with points ls 9 lw 1.2 dt 1 pt 6 ps 2.1 \
             title (i == 1 ? "ringed: b k_b = k" : ""), \
         csv using (of(1) == of(1) ? column("exact_us") : NaN):(1) with points pt 3 ps 1.5 lw 1.5 \
             lc rgb "black" title "exact top-k"
}
unset multiplot
