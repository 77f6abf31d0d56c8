# height 1040
# Heat maps, each relative to its own largest value: measured times for m = 1 and m = 256, with the
# predicted time below each, and the three cost models.
set multiplot layout 6,5 margins 0.05,0.925,0.045,0.935 spacing 0.012,0.031
unset key
unset grid
# The colours of the paper's scale: a hundredth of the largest value to that value.
set colorbox user origin screen 0.938,0.045 size screen 0.016,0.89
set cbtics ("max" 1, "1/10" 0.1, "1/100" 0.01) font ",9" offset -0.5
set palette defined (0 "#ffffff", 1 "#56B4E9")
short(t) = t < 1000 ? sprintf("%.3g", t) : t < 99950 ? sprintf("%.3gk", t/1e3) \
    : t < 999500 ? sprintf("%.0fk", t/1e3) : sprintf("%.3gM", t/1e6)
set logscale cb 10
set cbrange [0.01:1]
log2(x) = log(x)/log(2)
whole(x) = log2(x) == floor(log2(x) + 0.5)
columns = "predicted_us predicted_us cost_basic cost_serial cost_parallel"
titles = "'us, m = 1' 'us, m = 256' C_{basic} C_{serial} C_{parallel}"
h100 = published."/keyetal/two-stage.csv"
ours = there(runs."/key-17.csv")
set label 1 "two left columns: us a call on an H100 PCIe, float16: fill and black, measured \
by Key et al.; grey, predicted".(ours eq "" ? "" : "; green, by us") \
    at screen 0.05,0.984 font ",9"
set label 2 "three right columns: counted operations (C_{parallel}: steps)" at screen 0.925,0.984 \
    right font ",9"
do for [row=1:6] {
    n = row <= 3 ? 2**12 : 2**20
    k = row % 3 == 1 ? 64 : row % 3 == 2 ? n/16 : n/4
    do for [panel=1:5] {
        m = panel == 2 ? 256 : 1
        what = word(columns, panel)
        set title word(titles, panel).sprintf(";  n = 2^{%d}, k = %s", log2(n), \
            row % 3 == 1 ? "64" : row % 3 == 2 ? "n/16" : "n/4") font ",9" offset 0,-0.6
        if (row == 6) { set xtics ("1" 0, "2" 1, "4" 2, "8" 3) font ",9" scale 0 } else \
            { unset xtics }
        if (panel == 1) { set ytics ("1" 0, "2" 1, "4" 2) font ",9" scale 0 } else { unset ytics }
        set xlabel (row == 6 ? "b k_b / k" : "") font ",9" offset 0,0.6
        set ylabel (panel == 1 ? "k_b" : "") font ",9" offset 0
        in(x) = column("n") == n && column("k") == k && column("m") == m \
            && column("candidates") <= 8*k && column("candidates") < n \
            && whole(column("candidates")/column("k"))
        set autoscale xy
        times = panel <= 2
        there_is(x) = column("n") == n && column("k") == k && column("m") == m \
            && column("k_b") != 3 && column("candidates_over_k") <= 8
        if (times && h100 ne "") {
            stats h100 using (there_is(0) ? column("time_us_median") : NaN) nooutput
        } else {
            stats csv using (in(0) ? column(what) : NaN) nooutput
        }
        most = STATS_max
        set xrange [-0.5:3.5]
        set yrange [-0.5:2.5]
        set object 1 rectangle from graph 0,0 to graph 1,1 fs solid noborder fc rgb "#EEEEEE" behind
        by_h100 = times && h100 ne ""
        plot (by_h100 ? h100 : csv) using (by_h100 ? (there_is(0) \
                 ? log2(column("candidates_over_k")) : NaN) \
                 : in(0) ? log2(column("candidates")/column("k")) : NaN): \
                 (log2(column("k_b"))):(0.46):(0.46): \
                 (column(by_h100 ? "time_us_median" : what)/most) \
                 with boxxyerror fs solid noborder lc palette, \
             (by_h100 ? h100 : "/dev/null") using (!by_h100 ? NaN : there_is(0) \
                 ? log2(column("candidates_over_k")) : NaN): \
                 (log2(column("k_b")) + 0.22):(short(column("time_us_median"))) \
                 with labels font ",9" tc rgb "#000000", \
             csv using (in(0) ? log2(column("candidates")/column("k")) : NaN): \
                 (log2(column("k_b")) - (by_h100 ? 0.08 : 0)):(short(column(what))) \
                 with labels font ",9" tc rgb (times ? "#505050" : "#000000"), \
             (ours eq "" || panel > 2 ? "/dev/null" : ours) \
                 using (ours eq "" || panel > 2 ? NaN : column("n") == n && column("k") == k \
                 && column("m") == m && column("k_b") != 3 \
                 && column("b")*column("k_b") <= 8*column("k") \
                 ? log2(column("b")*column("k_b")/column("k")) \
                 : NaN):(log2(column("k_b")) - 0.36):(short(column("time_us_median"))) \
                 with labels font ",9" tc rgb "#006040"
        unset label
        unset colorbox
    }
}
unset multiplot
