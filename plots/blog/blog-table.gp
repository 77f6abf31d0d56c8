# height 420
set logscale y 10
set format y "10^{%L}"
set yrange [1:3e5]
set bmargin 4
set xrange [-0.6:5.6]
set boxwidth 0.26
set style fill solid 0.9 border
set ylabel "bandwidth, GB/s"
what(x) = sprintf("%s\n%.5g ms", x, column("time_us_median")/1e3)
short(x) = sprintf(x > 1000 ? "%.0f" : "%.3g", x)
set xtics font ",9"
set key top right
set arrow 1 from graph 0,first 3350 to graph 1,first 3350 nohead ls 9
set label 1 "memory of an H100 SXM: 3350 GB/s" at 2.6,5200 tc rgb "#555555"
plot csv using ($0-0.27):(column("printed_gb_s")) with boxes lc rgb "#D55E00" \
        title "as printed: a row's bytes over the batch's time", \
    csv using ($0):(1e3*column("once_tb_s")):xtic(what(strcol("kernel"))) \
        with boxes lc rgb "#0072B2" title "all rows, each value once", \
    csv using ($0+0.27):(1e3*column("moved_tb_s")) with boxes lc rgb "#56B4E9" \
        title "all rows, all that the kernel reads and writes", \
    csv using ($0-0.27):(column("printed_gb_s")):(sprintf("%.3g",column("printed_gb_s"))) \
        with labels offset 0,0.6 notitle, \
    csv using ($0):(1e3*column("once_tb_s")):(short(1e3*column("once_tb_s"))) \
        with labels offset 0,0.6 notitle, \
    csv using ($0+0.27):(1e3*column("moved_tb_s")):(sprintf("%.4g",1e3*column("moved_tb_s"))) \
        with labels offset 0,0.6 notitle
