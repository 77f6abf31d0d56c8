# height 640
set multiplot layout 2,4 margins 0.065,0.985,0.175,0.945 spacing 0.055,0.11
set logscale x 2
set xrange [0.85:9.4]
set xtics (1, 2, 4, 8)
tasks = "run perplexity error"
names = "'SmolLM2: repetition' 'SmolLM2: perplexity' 'SmolLM2: output error'"
do for [panel=0:7] {
    c = panel % 4
    below = panel > 3
    k = c && below ? 192 : 96
    task = c ? word(tasks, c) : below ? "squad" : "repetition"
    set title (c == 0 ? "Key et al.: ".(below ? "SQuAD, k = n/15" : "Repetition, k = n/17") \
        : word(names, c).(below ? ", k = n/8" : ", k = n/16")) font ",9" offset 0,-0.6
    set xlabel (below ? "k_b" : "")
    set ylabel (c == 0 ? "over that of exact top-k" : "") offset 0
    if (c == 3) { set logscale y 2 } else { unset logscale y }
    if (c == 0) { if (below) { set yrange [0.93:1.01] } else { set yrange [0.4:1.4] } }
    if (c == 1) { set yrange [0.4:1.4] }
    if (c == 2) { set yrange [0.96:1.04] }
    if (c == 3) { set yrange [0.93:6]; set ytics (1, 1.5, 2, 3, 4, 5) } else { set ytics auto }
    if (panel == 7) { set key at screen 0.53,0.01 center bottom vertical maxrows 2 reverse Left \
        font ",9" } else { unset key }
    of(i, assignment) = strcol("task") eq task && column("k") == k \
        && strcol("source") eq (c == 0 ? "keyetal" : "smollm2") \
        && strcol("assignment") eq assignment \
        && column("candidates_over_k") == 2**(i-1) ? column("k_b") : NaN
    plot for [i=1:4] csv using (of(i, "interleaved")):"relative" \
             with linespoints ls i notitle, \
         for [i=1:4] keyentry with linespoints ls i title sprintf("b k_b = %dk", 2**(i-1)), \
         for [i=1:4] csv using (of(i, "contiguous")):"relative" \
             with linespoints ls i dt 2 notitle, \
         csv using (c == 1 || c == 2 ? of(1, "contiguous") : NaN):"relative":"relative_se" \
             with yerrorbars ls 1 lw 0.8 notitle, \
         NaN with lines lw 1.6 lc rgb "#555555" title "interleaved", \
         NaN with lines lw 1.6 dt 2 lc rgb "#555555" title "contiguous", \
         1 with lines lc rgb "#222222" lw 1.6 dt 3 title "exact top-k"
}
unset multiplot
