# height 430
set multiplot layout 1,2 margins 0.08,0.97,0.15,0.9 spacing 0.06,0
set logscale x 10
set xlabel "correlation length, -1 / ln rho"
set yrange [0:1.03]
length(x) = column("rho") > 0 ? -1/log(column("rho")) : NaN
do for [kept=1:4:3] {
    set title sprintf("n = 2048, k = 256, k_b = %d, b = %d", kept, 256/kept) font ",10" \
        offset 0,-0.6
    set ylabel (kept == 1 ? "recall" : "") offset 1
    set autoscale x
    stats csv using (column("k_b") == kept ? column("model_recall") : NaN) nooutput
    model = STATS_max
    stats csv using (column("k_b") == kept ? column("model_worst_case") : NaN) nooutput
    worst = STATS_min
    set xrange [0.35:14000]
    set yrange [0:1.03]
    if (kept == 1) { set key at graph 0.98,0.5 reverse Left font ",9" } else { unset key }
    set arrow 1 from graph 0,first model to graph 1,first model nohead ls 9
    set arrow 2 from graph 0,first worst to graph 1,first worst nohead ls 9
    set arrow 3 from 2048/(256/kept),graph 0 to 2048/(256/kept),graph 1 nohead ls 9 dt 3
    set label 1 "top-k anywhere (exact model)" at 12000,model right offset -0.5,-0.6 \
        font ",9" tc rgb "#555555"
    set label 2 "as few buckets as possible" at 0.4,worst left offset 0.5,0.6 \
        font ",9" tc rgb "#555555"
    set label 3 "n / b" at 2048/(256/kept),0.05 left offset 0.4,0 font ",9" tc rgb "#555555"
    plot csv using (strcol("assignment") eq "interleaved" \
             && column("k_b") == kept ? length(0) : NaN):"recall_mean":"recall_sd" \
             with yerrorlines ls 1 title "interleaved", \
         csv using (strcol("assignment") eq "contiguous" \
             && column("k_b") == kept ? length(0) : NaN):"recall_mean":"recall_sd" \
             with yerrorlines ls 2 title "contiguous"
}
unset multiplot
