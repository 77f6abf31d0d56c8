# height 1120
stats csv using (column("row")) nooutput
down = int(STATS_max)
set multiplot layout down,4 margins 0.08,0.985,0.075,0.972 spacing 0.014,0.06
set logscale xy 10
set tics out font ",9" scale 0.6
unset grid
set grid ytics lw 0.4 lc rgb "#dddddd"
one = 1e-6
loss(recall) = 1 - recall > one ? 1 - recall : one
log2(x) = log(x)/log(2)
of(n) = log2(n) == floor(log2(n)) ? sprintf("2^{%d}", log2(n)) : sprintf("%d", n)
us(t) = t < 999.5 ? sprintf("%.3g us", t) : t < 9995 ? sprintf("%.2f ms", t/1e3) \
    : sprintf("%.3g ms", t/1e3)
stats csv using (column("predicted_us")/column("scale_us")) nooutput
low = STATS_min/1.6
high = STATS_max*1.6
high = high > 12 ? 12 : high
array blue[8]
blue[1] = "#8CBBDD"; blue[2] = "#4A8FC7"; blue[3] = "#1F5F9E"; blue[4] = "#0B2F5B"
blue[8] = "#000000"
unset key
set style textbox opaque noborder margins 1,0.5
do for [i in "1 2 3 4 8"] {
    j = int(i) == 8 ? 5 : int(i)
    set label 10+j "k_b = ".i at screen 0.04+0.08*(j-1),0.025 offset 1,0 \
        point pt 7 ps 0.7 lc rgb blue[int(i)] font ",9"
}
set label 21 "fastest, with its band" at screen 0.49,0.025 offset 1,0 font ",9"
set arrow 21 from screen 0.46,0.025 to screen 0.49,0.025 nohead lc rgb "#009E73" lw 2
set label 22 "exact top-k, with its band" at screen 0.73,0.025 offset 1,0 font ",9"
set arrow 22 from screen 0.70,0.025 to screen 0.73,0.025 nohead lc rgb "#222222" lw 1.6
names = "n k m scale_us exact_us exact_low_us exact_high_us"
in(p) = column("panel") == p
do for [p=1:4*down] {
    set autoscale
    array cell[7]
    do for [i=1:7] {
        stats csv using (in(p) && column(word(names, i)) > 0 ? column(word(names, i)) : 0) nooutput
        cell[i] = STATS_max
    }
    if (cell[1] == 0) {
        set multiplot next
    } else {
        exact = cell[5]
        stats csv using (in(p) ? (name = strcol("device").", ".strcol("dtype"), 1) : NaN) nooutput
        set title sprintf("n = %s, k = %d, m = %d", of(cell[1]), cell[2], cell[3]) \
            font ",10" offset 0,-0.8
        set xrange [cell[4]*low:cell[4]*high]
        set yrange [0.5:one*0.6]
        set xtics ("1" 1, "10" 10, "100" 100, "1000" 1e3, "10^4" 1e4, "10^5" 1e5, "10^6" 1e6) \
            offset 0,0.4
        set ylabel (p % 4 == 1 ? "{/:Bold ".name."}\nrecall" : "") offset 2 font ",10"
        if (p % 4 == 1) { set ytics (".9" 0.1, ".99" 0.01, ".999" 1e-3, ".9999" 1e-4, \
            ".99999" 1e-5, "1" one) } else { set ytics ("" 0.1, "" 0.01, "" 1e-3, "" 1e-4, \
            "" 1e-5, "" one) }
        set xlabel (p > 4*(down - 1) ? "predicted us a call" : "") font ",10" offset 0,0.8
        if (exact > 0) {
            set object 1 rectangle from cell[6],graph 0 to cell[7],graph 1 fs solid noborder \
                fc rgb "#DDDDDD" behind
            set arrow 1 from exact,graph 0 to exact,graph 1 nohead lc rgb "#222222" lw 1.6 front
            set label 1 us(exact) at exact,graph 0.06 left offset 0.6,0 font ",9" \
                tc rgb "#222222" boxed front
        }
        plot csv using (in(p) && column("frontier") == 1 ? column("predicted_us") : NaN): \
                 (loss(column("recall"))):"low_us":"high_us":(loss(column("recall_from"))): \
                 (loss(column("recall"))) with boxxyerror fs solid 0.25 noborder \
                 lc rgb "#009E73" notitle, \
             csv using (in(p) && column("frontier") == 1 ? column("predicted_us") : NaN): \
                 (loss(column("recall"))) with steps lc rgb "#009E73" lw 2 notitle, \
             csv using (in(p) && column("frontier") == 1 ? column("predicted_us") : NaN): \
                 (loss(column("recall_from"))):(0): \
                 (loss(column("recall")) - loss(column("recall_from"))) \
                 with vectors nohead lc rgb "#009E73" lw 2 notitle, \
             for [i in "1 2 3 4 8"] csv using (in(p) && column("k_b") == int(i) \
                 ? column("predicted_us") : NaN):(loss(column("recall"))) \
                 with points pt 7 ps 0.35 lc rgb blue[int(i)] notitle
        unset label
        unset arrow
        unset object
    }
}
unset multiplot
