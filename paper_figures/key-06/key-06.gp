# height 430
set multiplot layout 1,2 margins 0.08,0.985,0.14,0.9 spacing 0.06,0
set yrange [0.28:0.92]
set xrange [-0.03:0.93]
set xlabel "correlation of neighbours, rho"
figure6 = published."/keyetal/correlation.csv"
do for [shuffle in "none once"] {
    set title (shuffle eq "none" ? "as they come" : "shuffled, one permutation for all rows") \
        font ",10" offset 0,-0.6
    set ylabel (shuffle eq "none" ? "recall" : "") offset 1
    if (shuffle eq "none") { set key bottom left reverse Left font ",9" } else { unset key }
    plot for [i=1:4] csv using (strcol("shuffle") eq shuffle \
             && strcol("assignment") eq "interleaved" \
             && column("k_b") == 2**(i-1) ? column("rho") : NaN):"recall_mean" with lines ls i \
             title sprintf("k_b = %d, interleaved", 2**(i-1)), \
         for [i=1:4] csv using (strcol("shuffle") eq shuffle \
             && strcol("assignment") eq "contiguous" \
             && column("k_b") == 2**(i-1) ? column("rho") : NaN):"recall_mean" \
             with lines ls i dt 2 title (i == 1 ? "contiguous (dashed)" : ""), \
         for [i=1:4] (figure6 eq "" ? "/dev/null" : figure6) \
             using (figure6 eq "" ? NaN : column("k_b") == 2**(i-1) \
             && column("shuffled") == (shuffle eq "once") ? column("rho") : NaN):"recall_mean" \
             with points ls i title (i == 1 ? "published, 100 rows" : "")
}
unset multiplot
