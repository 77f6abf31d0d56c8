# tradeoff-grid.gp - Figures 18 to 20: six values of n, three of k. Set model, the cost model,
# before loading it.
set multiplot layout 6,3 margins 0.07,0.985,0.045,0.955 spacing 0.045,0.04
set logscale x 2
set logscale y 10
set format x @two
set format y @ten
set yrange [1:1e-5]
set tics font ",9"
cost = "cost_".model
exact = cost."_exact"
unit = model eq "parallel" ? "parallel steps a row" : "operations a row"
do for [l in "10 12 14 16 18 20"] {
    n = 2**l
    do for [j=1:3] {
        k = j == 1 ? 256 : j == 2 ? n/16 : n/4
        set autoscale
        stats csv using (column("n") == n && column("k") == k ? column(exact) : NaN) nooutput
        line = STATS_max
        stats csv using (column("n") == n && column("k") == k ? column(cost) : NaN) nooutput
        set yrange [1:1e-5]
        set xrange [STATS_min/1.3:line*1.4]
        set title sprintf("n = 2^{%s}, k = %s", l, j == 1 ? "256" : j == 2 ? "n/16" : "n/4") \
            font ",9" offset 0,-0.75
        set ylabel (j == 1 ? "recall error" : "") offset 1.5 font ",9"
        set xlabel (l eq "20" ? "C_{".model."}, ".unit : "") font ",9"
        if (l eq "10" && j == 3) { set key top left reverse Left font ",9" } else { unset key }
        set arrow 1 from line,graph 0 to line,graph 1 nohead ls 9
        plot for [i=1:4] csv using (column("n") == n && column("k") == k \
                 && column("k_b") == 2**(i-1) && column("b")*column("k_b") < n \
                 ? column(cost) : NaN):"loss" with lines ls i \
                 title sprintf("k_b = %d, exact", 2**(i-1)), \
             for [i=1:4] csv using (column("n") == n && column("k") == k \
                 && column("k_b") == 2**(i-1) && column("b")*column("k_b") < n \
                 ? column(cost) : NaN):"loss_binomial" with lines ls i lw 1.4 dt 3 \
                 title (i == 1 ? "binomial" : ""), \
             for [i=1:4] published."/keyetal/theory.csv" \
                 using (column("n") == n && column("k") == k \
                 && column("k_b") == 2**(i-1) && column("recall_simulated_mean") < 1 \
                 && column("b")*column("k_b") < n ? column(cost) \
                 : NaN):(1 - column("recall_simulated_mean")) with points ls i ps 0.65 \
                 title (i == 1 ? "published, simulated" : ""), \
             NaN with lines ls 9 title "cost of the exact top-k"
        unset arrow 1
    }
}
unset multiplot
