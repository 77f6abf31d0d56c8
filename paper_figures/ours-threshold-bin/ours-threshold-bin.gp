# height 460
set multiplot layout 1,2 margins 0.08,0.985,0.16,0.9 spacing 0.06
set logscale xy
set format x "2^{%L}"
set logscale x 2
set format y "%g"
set xlabel "n"
set xrange [2**13:2**18*1.1]
set yrange [5:60000]
distribution(name, k) = strcol("input") eq name && column("k") == k
of(name, k, value) = distribution(name, k) ? column(value) : NaN
set arrow 1 from 50000,graph 0 to 50000,graph 1 nohead ls 9
set label 1 "50,000" at 50000,7 offset 0.4,0 tc rgb "#555555" font ",9"
set label 2 "3072 places" at 2**13,3072 offset 0.5,0.6 tc rgb "#222222" font ",9"
do for [k in "2048 64"] {
    set title "k = ".k
    set ylabel (k eq "2048" ? "elements in the threshold bin" : "")
    if (k eq "2048") { set key bottom right } else { unset key }
    plot 3072 with lines lc rgb "#222222" lw 1.6 notitle, \
        csv using "n":(of("uniform", k, "left_modelled")) with lines ls 1 \
            title "uniform on [0, 1)", \
        csv using "n":(of("iid", k, "left_modelled")) with lines ls 2 title "normal", \
        csv using "n":(of("lognormal", k, "left_modelled")) with lines ls 3 title "lognormal", \
        csv using "n":(of("uniform", k, "left")) with points ls 1 notitle, \
        csv using "n":(of("iid", k, "left")) with points ls 2 notitle, \
        csv using "n":(of("lognormal", k, "left")) with points ls 3 notitle
    unset label 2
}
unset multiplot
