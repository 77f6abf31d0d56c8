# height 450
set multiplot layout 1,2 margins 0.09,0.985,0.24,0.9 spacing 0.09,0
stats csv using (strcol("task") eq "squad" ? column("score_exact") : NaN) nooutput
score = STATS_max
set logscale x 2
set xlabel "us a call"
set xrange [2.5:25]
set xtics (3, 4, 6, 8, 12, 16, 20)
sets = "1 2 4"
# Of SQuAD the standard error of a share of 4000 answers. Of Repetition no spread is published.
samples = 4000
stderr(share) = sqrt(share*(1 - share)/samples)
do for [task in "squad repetition"] {
    squad = task eq "squad"
    scale = squad ? 100 : 1
    set title (squad ? "SQuAD, n = 1409" : "Repetition, n = 1659"). \
        ", k = 96, m = 1, H100 PCIe, interleaved" font ",10" offset 0,-0.6
    set ylabel (squad ? "score (accuracy, %)" : "score (characters)") offset 0
    set yrange [(squad ? 79.2 : 165):(squad ? 81.9 : 217)]
    if (squad) { set key at screen 0.53,0.02 center bottom horizontal maxrows 2 reverse Left \
        width -8 font ",9" } else { unset key }
    of(i) = strcol("task") eq task && strcol("assignment") eq "interleaved" \
        && column("k_b") == word(sets, i)+0
    # One standard error of exact top-k, a band; those of the others are as wide.
    unset object 1
    if (squad) {
        set object 1 rectangle from graph 0,first (score - stderr(score))*scale \
            to graph 1,first (score + stderr(score))*scale fs solid noborder fc rgb "#EEEEEE" behind
    }
    plot for [i=1:3] csv using (of(i) ? column("time_us_median") : NaN): \
             (column("score")*scale) smooth unique with lines ls i lw 1.2 notitle, \
         for [i=1:3] csv using (of(i) ? column("time_us_median") : NaN): \
             (column("score")*scale) with points ls i ps 1.3 title "k_b = ".word(sets, i), \
         for [i=1:3] csv using (of(i) && column("candidates_over_k") == 1 ? \
             column("time_us_median") : NaN):(column("score")*scale) with points ls 9 lw 1.2 dt 1 \
             pt 6 ps 2.2 title (i == 1 ? "ringed: b k_b = k" : ""), \
         csv using (strcol("task") eq task ? column("exact_us_mean") : NaN): \
             (column("score_exact")*scale) with points pt 3 ps 1.6 lw 1.5 lc rgb "black" \
             title "torch.topk", \
         NaN with boxes fs solid noborder lc rgb "#DDDDDD" title "one standard error of torch.topk"
}
unset multiplot
