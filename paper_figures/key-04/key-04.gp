# height 470
set multiplot layout 1,2 margins 0.085,0.985,0.24,0.9 spacing 0.08,0
set logscale x 2
set logscale y 10
set format y @ten
set xlabel "us a call, H100 PCIe, float16"
set yrange [1:1e-6]
sets = "1 2 4"
# The time of torch.topk: the row without buckets.
torch(b) = strlen(b) == 0 ? column("time_us_mean") : NaN
do for [panel in "vocabulary pharmebinet"] {
    vocabulary = panel eq "vocabulary"
    set title (vocabulary ? "vocabulary: n = 128256, k = 256, m = 64" : \
        "PharMeBINet: n = 2653751, k = 100, m = 128") font ",10" offset 0,-0.6
    set xrange [(vocabulary ? 24 : 400):(vocabulary ? 1100 : 65536)]
    if (vocabulary) { set xtics (32, 64, 128, 256, 512, 1024) } else { \
        set xtics (512, 2048, 8192, 32768) }
    set ylabel (vocabulary ? "recall error, 1 - recall" : "") offset 1
    if (!vocabulary) { set key at screen 0.53,0.02 center bottom horizontal maxrows 3 reverse \
        Left font ",9" } else { unset key }
    of(i) = strcol("panel") eq panel && column("k_b") == word(sets, i)+0 \
        && column("k") == (vocabulary ? 256 : 100)
    plot for [i=1:3] csv using (of(i) ? column("predicted_us") : NaN):"loss" \
             with lines ls i \
             title "k_b = ".word(sets, i).", model", \
         for [i=1:3] csv using (of(i) ? column("time_us_mean") : NaN): \
             (column("loss_measured") > 0 ? column("loss_measured") : NaN) with points ls i ps 1 \
             title (i == 1 ? "measured (points)" : ""), \
         csv using (strcol("panel") eq panel && column("k") > 10 ? column("exact_us") : NaN): \
             (column("k_b") == 1 && column("candidates") == column("k") ? 1 : 1e-6) \
             with lines ls 9 dt 3 title "torch.topk, predicted", \
         published."/keyetal/".(vocabulary ? "vocabulary" : "pharmebinet-times").".csv" \
             using (torch(strcol("b"))):(1):(0):(1e-6 - 1) with vectors nohead lw 1.4 \
             lc rgb "#222222" title "torch.topk, measured"
}
unset multiplot
