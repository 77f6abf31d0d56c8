# height 430
set multiplot layout 1,2 margins 0.08,0.985,0.15,0.9 spacing 0.06,0
set logscale x 2
set logscale y 10
set format x @two
set format y @ten
set xlabel "candidates b k_b"
set yrange [1:1e-4]
# The 5 % quantile of a row's recall lies below its mean, the 95 % quantile above.
worse(x) = column("recall_quantile") < column("recall") ? 1 - column("recall_quantile") : NaN
better(x) = column("recall_quantile") > column("recall") \
    && column("recall_quantile") < 1 ? 1 - column("recall_quantile") : NaN
do for [k in "64 1024"] {
    set title "n = 262,144, k = ".k font ",10" offset 0,-0.6
    set ylabel (k eq "64" ? "recall error, 1 - recall" : "") offset 1
    if (k eq "64") { set key bottom right reverse Left font ",9" } else { unset key }
    if (k eq "64") {
        set label 1 "a row loses whole\nelements: steps, down\nto one of 64" \
            at 2**14.1,10**-2.5 font ",9"
    } else {
        set label 1 "one element lost, 1/1024: the\nlines of single rows end there" \
            at 2**14.4,10**-0.45 font ",9"
    }
    plot for [i=1:3] csv using (column("k") == k+0 && column("k_b") == 2**(i-1) \
             && column("loss") > 0 ? column("candidates") : NaN):"loss" smooth unique \
             with lines ls i title sprintf("k_b = %d, mean", 2**(i-1)), \
         for [i=1:3] csv using (column("k") == k+0 \
             && column("k_b") == 2**(i-1) ? column("candidates") : NaN):(worse(0)) \
             with lines ls i lw 0.9 dt 2 title (i == 1 ? "5 % of rows lose more (dashed)" : ""), \
         for [i=1:3] csv using (column("k") == k+0 \
             && column("k_b") == 2**(i-1) ? column("candidates") : NaN):(better(0)) \
             with lines ls i lw 0.9 dt 3 title (i == 1 ? "5 % lose less (dotted)" : "")
}
unset label 1
unset multiplot
