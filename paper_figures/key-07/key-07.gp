# height 450
set multiplot layout 1,2 margins 0.09,0.985,0.24,0.9 spacing 0.09,0
set logscale x 2
set xlabel "k_b"
set xrange [0.85:9.4]
set xtics (1, 2, 4, 8)
do for [task in "squad repetition"] {
    squad = task eq "squad"
    scale = squad ? 100 : 1
    set title (squad ? "SQuAD, n = 1409" : "Repetition, n = 1659").", k = 96" \
        font ",10" offset 0,-0.6
    set ylabel (squad ? "score (accuracy, %)" : "score (characters)") offset 0
    set yrange [(squad ? 75 : 80):(squad ? 81.5 : 219)]
    if (squad) { set key at screen 0.53,0.02 center bottom horizontal maxrows 4 reverse Left \
        font ",9" } else { unset key }
    of(i, assignment) = strcol("task") eq task && strcol("assignment") eq assignment \
        && column("candidates_over_k") == 2**(i-1) ? column("k_b") : NaN
    plot for [i=1:4] csv using (of(i, "interleaved")):(column("score")*scale) \
             with linespoints ls i title sprintf("b k_b / k = %d", 2**(i-1)), \
         for [i=1:4] csv using (of(i, "contiguous")):(column("score")*scale) \
             with linespoints ls i dt 2 notitle, \
         NaN with lines lw 1.6 lc rgb "#555555" title "interleaved", \
         NaN with lines lw 1.6 dt 2 lc rgb "#555555" title "contiguous", \
         csv using (of(1, "interleaved")):(column("score_exact")*scale) \
             with lines lc rgb "#222222" lw 1.6 dt 3 title "exact top-k"
}
unset multiplot
