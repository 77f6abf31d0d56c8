# height 620
# Predicted (fill and number) and measured (number below) times of a call, each panel over its own largest.
set multiplot layout 3,4 margins 0.075,0.985,0.075,0.93 spacing 0.03,0.075
unset key
unset grid
unset colorbox
set palette defined (0 "#ffffff", 1 "#56B4E9")
us(t) = t < 1000 ? sprintf("%.3g", t) : sprintf("%.0f", t)
set logscale cb 10
set cbrange [0.01:1]
set xrange [-0.5:3.5]
set yrange [-0.5:2.5]
set xtics ("1" 0, "2" 1, "4" 2, "8" 3) font ",8" scale 0
set ytics ("1" 0, "2" 1, "4" 2) font ",8" scale 0
log2(x) = log(x)/log(2)
do for [j=1:3] {
    do for [panel=1:4] {
        n = panel <= 2 ? 2**12 : 2**20
        m = panel % 2 ? 1 : 256
        k = j == 1 ? 64 : n/(j == 2 ? 16 : 4)
        set title sprintf("n = 2^{%d}, k = %s, m = %d", log2(n), j == 1 ? "64" : j == 2 ? "n/16" : "n/4", m) font ",9" offset 0,-0.8
        set xlabel (j == 3 ? "b k_b / k" : "") font ",9" offset 0,0.6
        set ylabel (panel == 1 ? "k_b" : "") font ",9" offset 1
        in(c) = column("n") == n && column("k") == k && column("m") == m && column("candidates") <= 8*k && column("candidates") < n && (column("candidates")/column("k") == 2**floor(log2(column("candidates")/column("k")) + 0.5))
        set autoscale x
        set autoscale y
        stats csv using (in(0) ? column("predicted_us") : NaN) nooutput
        most = STATS_max
        set xrange [-0.5:3.5]
        set yrange [-0.5:2.5]
        plot csv using (in(0) ? log2(column("candidates")/column("k")) : NaN):(log2(column("k_b"))):(column("predicted_us")/most) with points pt 5 ps 6.2 lc palette, \
             csv using (in(0) ? log2(column("candidates")/column("k")) : NaN):(log2(column("k_b")) + 0.17):(us(column("predicted_us"))) with labels font ",8" tc rgb "#000000", \
             (published eq "" ? "/dev/null" : published."/h100_pcie_bucketed.csv") using (published eq "" ? NaN : column("n") == n && column("k") == k && column("m") == m && column("k_b") != 3 && column("candidates_over_k") <= 8 ? log2(column("candidates_over_k")) : NaN):(log2(column("k_b")) - 0.2):(us(column("time_us_median"))) with labels font ",8" tc rgb "#A03000"
    }
}
unset multiplot
