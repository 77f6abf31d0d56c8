# height 430
set multiplot layout 1,2 margins 0.08,0.985,0.16,0.9 spacing 0.06,0
set logscale x 2
set logscale y 10
set format x @two
set format y @ten
set yrange [1:1e-5]
set xlabel "C_{serial}, operations"
panel(k) = sprintf("k = %s", k == 256 ? "256" : "n/8 = 131,072")
do for [k in "256 131072"] {
    set title panel(int(k))." of n = 1,048,576" font ",10" offset 0,-0.6
    set ylabel (int(k) == 256 ? "recall error, 1 - recall" : "") offset 1
    set xrange [2**20.6:2**27]
    unset key
    if (int(k) != 256) { set key top left reverse Left font ",9" }
    set arrow 1 from 88080384,graph 0 to 88080384,graph 1 nohead ls 9
    set label 1 "exact top-k" at 88080384,graph 0.97 right offset -0.5,0 font ",9" tc rgb "#555555"
    plot for [i=1:4] csv using (column("k") == k+0 && column("k_b") == 2**(i-1) \
             && column("b")*column("k_b") < column("n") ? column("cost_serial") : NaN):"loss" \
             with lines ls i title sprintf("k_b = %d, exact", 2**(i-1)), \
         for [i=1:4] csv using (column("k") == k+0 && column("k_b") == 2**(i-1) \
             && column("b")*column("k_b") < column("n") \
             ? column("cost_serial") : NaN):"loss_binomial" with lines ls i lw 1.4 dt 3 \
             title (i == 1 ? "binomial (dotted)" : ""), \
         for [i=1:4] published."/keyetal/theory.csv" \
             using (column("n") == 2**20 && column("k") == k+0 \
             && column("k_b") == 2**(i-1) && column("recall_simulated_mean") < 1 \
             && column("b")*column("k_b") < column("n") \
             ? column("cost_serial") : NaN):(1 - column("recall_simulated_mean")) with points ls i \
             title (i == 1 ? "published, 64 rows" : "")
    unset arrow 1
    unset label 1
}
unset multiplot
