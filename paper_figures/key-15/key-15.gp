# height 760
# Above as the paper prints it: measured, and one line a cost model. Below: measured over what the
# time model predicts.
set multiplot layout 2,2 margins 0.075,0.9,0.075,0.945 spacing 0.03,0.1
set logscale x 2
set logscale y 10
set format x @two
set xrange [2**9.5:2**22.5]
# A colour for each of the 13 k, from 1 to 2^20.
set palette defined (0 "#0072B2", 5 "#009E73", 10 "#E69F00", 15 "#D55E00", 20 "#CC79A7")
set cbrange [0:20]
set label 1 "k" at screen 0.922,0.965 font ",10"
set cbtics ("1" 0, "4" 2, "16" 4, "64" 6, "256" 8, "1024" 10, "4096" 12, "2^{14}" 14, \
    "2^{16}" 16, "2^{18}" 18, "2^{20}" 20)
set colorbox user origin 0.915,0.075 size 0.016,0.87
ks = "1 2 3 4 16 64 256 1024 4096 16384 65536 262144 1048576"
ours = there(runs."/key-15.csv")
torch = there(runs."/torch-key-15.csv")
log2(x) = log(x)/log(2)
# Radix select costs the same for each k; from k = 64 on both models take it.
radix = 64
do for [row in "cost predicted"] { do for [m in "1 256"] {
    serial = m eq "1" ? 2**31.8 : 2**30.2
    parallel = m eq "1" ? 2**24.8 : 2**23.3
    set title (row eq "cost" ? "measured, and the cost models" : \
        "measured over predicted by the profile").sprintf(", H100 PCIe, float16, m = %s", m) \
        font ",10" offset 0,-0.7
    set ylabel (m ne "1" ? "" : row eq "cost" ? "us a call" : "measured / predicted") offset 1
    set logscale y (row eq "cost" ? 10 : 2)
    if (row eq "cost") { set yrange [5:5e5] } else { set yrange [0.65:1.6] }
    set ytics autofreq
    if (row ne "cost") { set ytics (0.7, 0.8, 1, 1.25, 1.5) }
    set format y (m ne "1" ? "" : row eq "cost" ? "10^{%L}" : "%g")
    set xlabel (row eq "predicted" ? "n" : "")
    of(k, file_m) = column("k") == k && column("m") == file_m ? column("n") : NaN
    set key top left reverse Left font ",9"
    if (row eq "cost") {
        plot csv using (of(radix, m+0)):(column("cost_serial_exact")/(m+0)/serial*1e6) \
                 with lines lw 5 lc rgb "#BBBBBB" title "radix select, serial cost", \
             csv using (of(radix, m+0)):(column("cost_parallel_exact")/parallel*1e6) \
                 with lines lw 3 dt 2 lc rgb "#888888" title "radix select, parallel cost", \
             for [k in ks] csv using (of(k+0, m+0)):"time_us_median":(log2(k+0)) \
                 with linespoints pt 7 ps 0.7 lw 1.4 palette \
                 title (k eq "1" ? "torch.topk, measured" : ""), \
             for [k in ks] (ours eq "" ? "/dev/null" : ours) using (ours eq "" ? NaN : \
                 of(k+0, m+0)):"time_us_median":(log2(k+0)) with points pt 2 palette \
                 title (k eq "1" && ours ne "" ? "ours, measured" : ""), \
             for [k in ks] (torch eq "" ? "/dev/null" : torch) using (torch eq "" ? NaN : \
                 of(k+0, m+0)):"time_us_median":(log2(k+0)) with points pt 6 palette \
                 title (k eq "1" && torch ne "" ? "torch.topk, our run" : "")
    } else {
        plot 1 with lines ls 9 notitle, \
             for [k in ks] csv using (of(k+0, m+0)):(column("time_us_median")/column("exact_us")): \
                 (log2(k+0)) with linespoints pt 7 ps 0.7 lw 1 palette notitle
    }
    unset colorbox
    unset label 1
} }
unset multiplot
