# height 760
set multiplot layout 2,2 margins 0.08,0.89,0.075,0.945 spacing 0.03,0.1
set logscale x 2
set logscale y 2
set format x @two
set xrange [2**9.5:2**22.5]
set yrange [6:30000]
# A colour for each of the 13 k, from 1 to 2^20.
set palette defined (0 "#0072B2", 5 "#009E73", 10 "#E69F00", 15 "#D55E00", 20 "#CC79A7")
set cbrange [0:20]
set label 1 "k" at screen 0.915,0.965 font ",10"
set cbtics ("1" 0, "4" 2, "16" 4, "64" 6, "256" 8, "1024" 10, "4096" 12, "2^{14}" 14, \
    "2^{16}" 16, "2^{18}" 18, "2^{20}" 20)
set colorbox user origin 0.91,0.075 size 0.018,0.87
ks = "1 2 3 4 16 64 256 1024 4096 16384 65536 262144 1048576"
ours = there(runs."/key-15.csv")
torch = there(runs."/torch-key-15.csv")
log2(x) = log(x)/log(2)
do for [row in "predicted cost"] { do for [m in "1 256"] {
    serial = m eq "1" ? 2**31.8 : 2**30.2
    parallel = m eq "1" ? 2**24.8 : 2**23.3
    set title (row eq "predicted" ? "predicted (lines)" : \
        "cost models: serial (solid), parallel (dashed)").sprintf(", m = %s", m) font ",10" \
        offset 0,-0.7
    set ylabel (m eq "1" ? "us a call" : "") offset 1
    set format y (m eq "1" ? "%g" : "")
    set xlabel (row eq "cost" ? "n" : "")
    if (row eq "predicted") { set key top left reverse Left font ",8" } else { unset key }
    of(k, file_m) = column("k") == k && column("m") == file_m ? column("n") : NaN
    if (row eq "predicted") {
        plot for [k in ks] csv using (of(k+0, m+0)):"exact_us":(log2(k+0)) \
                 with lines lw 1.4 palette notitle, \
             for [k in ks] csv using (of(k+0, m+0)):"time_us_median":(log2(k+0)) \
                 with points pt 7 ps 0.7 palette title (k eq "1" ? "measured" : ""), \
             for [k in ks] (ours eq "" ? "/dev/null" : ours) using (ours eq "" ? NaN : \
                 of(k+0, m+0)):"time_us_median":(log2(k+0)) with points pt 2 palette \
                 title (k eq "1" && ours ne "" ? "ours, measured" : ""), \
             for [k in ks] (torch eq "" ? "/dev/null" : torch) using (torch eq "" ? NaN : \
                 of(k+0, m+0)):"time_us_median":(log2(k+0)) with points pt 6 palette \
                 title (k eq "1" && torch ne "" ? "torch.topk, our run" : "")
    } else {
        plot for [k in ks] csv using (of(k+0, m+0)): \
                 (column("cost_serial_exact")/(m+0)/serial*1e6):(log2(k+0)) \
                 with lines lw 1.4 palette notitle, \
             for [k in ks] csv using (of(k+0, m+0)): \
                 (column("cost_parallel_exact")/parallel*1e6):(log2(k+0)) \
                 with lines lw 1.4 dt 2 palette notitle, \
             for [k in ks] csv using (of(k+0, m+0)):"time_us_median":(log2(k+0)) \
                 with points pt 7 ps 0.7 palette notitle
    }
    unset colorbox
    unset label 1
} }
unset multiplot
