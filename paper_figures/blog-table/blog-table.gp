# height 420
set logscale y 10
set format y "10^{%L}"
set yrange [1:1e5]
set bmargin 4
set xrange [-0.6:5.7]
set ylabel "bandwidth, GB/s" offset 1
name(x) = x eq "histogram-8" ? "unrolled 8 times" : x eq "histogram-1" ? "not unrolled" : \
    x eq "histogram-4-compiler" ? "unrolled 4 times" : x eq "histogram-binary" ? "binary search" : x
what(x) = sprintf("%s\n%.5g ms", name(x), column("time_us_median")/1e3)
short(x) = sprintf(x > 1000 ? "%.0f" : "%.3g", x)
set xtics font ",9"
set key top right
set style line 11 pt 7 ps 1.4 lc rgb "#D55E00"
set style line 12 pt 5 ps 1.3 lc rgb "#0072B2"
set style line 13 pt 9 ps 1.5 lc rgb "#56B4E9"
set arrow 1 from graph 0,first 3350 to graph 1,first 3350 nohead ls 9
set label 1 "memory of an H100 SXM: 3350 GB/s" at graph 0.985,first 4900 right font ",9" \
    tc rgb "#555555"
plot csv using 0:(column("printed_gb_s")):xtic(what(strcol("kernel"))) with points ls 11 \
        title "as printed: a row's bytes over the batch's time", \
    csv using 0:(1e3*column("once_tb_s")) with points ls 12 title "all rows, each value once", \
    csv using 0:(1e3*column("moved_tb_s")) with points ls 13 \
        title "all rows, all that the kernel reads and writes", \
    csv using 0:(column("printed_gb_s")):(short(column("printed_gb_s"))) \
        with labels left offset 1.2,0 font ",9" notitle, \
    csv using 0:(1e3*column("once_tb_s")):(short(1e3*column("once_tb_s"))) \
        with labels left offset 1.2,0 font ",9" notitle, \
    csv using 0:(1e3*column("moved_tb_s")):(short(1e3*column("moved_tb_s"))) \
        with labels left offset 1.2,0.2 font ",9" notitle
