# height 470
set multiplot layout 1,2 margins 0.08,0.985,0.27,0.91 spacing 0.06,0
set xlabel "cached tokens"
set xrange [0:43500]
set xtics ("0" 0, "10,000" 1e4, "20,000" 2e4, "30,000" 3e4, "40,000" 4e4)
set yrange [0.9:2.5]
measured = published."/keyetal/decoding.csv"
steps = published."/keyetal/steps.csv"
do for [share in "16 8"] {
    set title "Llama-2-7B, H100 PCIe, batch 1, k = n/".share. \
        (share eq "16" ? " (their code)" : " (their text)") font ",10" offset 0,-0.6
    set ylabel (share eq "16" ? "speed-up of a step" : "") offset 1
    if (share eq "16") { set key at screen 0.53,0.02 center bottom horizontal maxrows 4 reverse \
        Left width -6 font ",9" } else { unset key }
    of(what) = strcol("selection") eq what && (column("k")*(share+0) == column("n") \
        || column("n") == 16) ? column("n") : NaN
    plot csv using (of("free")):"speedup_selected" with lines ls 9 \
             title "choice is free", \
         csv using (column("k_b") == 1 ? of("bucketed") : NaN):"speedup_selected" \
             with linespoints ls 1 title "buckets, k_b = 1", \
         csv using (column("k_b") == 2 ? of("bucketed") : NaN):"speedup_selected" \
             with linespoints ls 3 title "buckets, k_b = 2", \
         csv using (of("exact")):"speedup_selected" with linespoints ls 2 title "torch.topk", \
         steps using (share eq "16" ? column("n") : NaN):"speedup" with linespoints pt 6 \
             ps 1.3 lw 2.4 lc rgb "#D55E00" title "measured earlier: torch.topk", \
         measured using (strcol("selection") eq "bucketed" ? column("n") : NaN):"speedup" \
             with points pt 2 ps 1.8 lw 2 lc rgb "#0072B2" \
             title "measured: buckets", \
         measured using (strcol("selection") eq "exact" ? column("n") : NaN):"speedup" \
             with points pt 2 ps 1.8 lw 2 lc rgb "#D55E00" \
             title "measured: torch.topk"
}
unset multiplot
