# tradeoff.gp - recall against time, a panel for each n, k and m. Set before loading it: down and
# across, the panels; k_bs, a list of numbers and ranges (5-8), which share a mark; bottom, the
# largest 1 - recall; show_m, whether titles have m; keys, where the key is (a height of the
# screen); ratio, where that number is (of a panel). Perhaps key_step, between the keys of k_bs, and
# line_keys, where those of the lines are.
if (!exists("key_step")) { key_step = 0.066 }
if (!exists("line_keys")) { line_keys = keys }
set logscale xy 10
set tics out font ",9" scale 0.6
unset grid
set grid ytics lw 0.4 lc rgb "#dddddd"
# Recall on a logarithmic axis of 1 - recall. What is above .99999, but below 1, is drawn between
# these two ticks.
top = 1e-5
one = 1e-6
loss(recall) = recall == 1 ? one : 1 - recall > 0.32*top ? 1 - recall : 0.32*top
# The same range of time over that of exact top-k in all panels.
stats csv using (column("panel") > 0 ? column("time_us")/column("exact_us") : NaN) nooutput
low = STATS_min/1.4
high = STATS_max*1.4
log2(x) = log(x)/log(2)
of(n) = log2(n) == floor(log2(n)) && n >= 1024 ? sprintf("2^{%d}", log2(n)) : sprintf("%d", n)
count(k) = k < 1e4 ? sprintf("%d", k) : of(k)
us(t) = t < 999.5 ? sprintf("%.3g us", t) : t < 9995 ? sprintf("%.2f ms", t/1e3) \
    : sprintf("%.3g ms", t/1e3)
first_of(range) = int(strstrt(range, "-") ? range[1:strstrt(range, "-")-1] : range)
last_of(range) = int(range[strstrt(range, "-")+1:*])
# Points by k_b, the more the darker; lines by who chooses.
array blue[5] = ["#8CBBDD", "#4A8FC7", "#1F5F9E", "#0B2F5B", "#000000"]
array mark[5] = [7, 9, 5, 13, 11]
set style line 11 lc rgb "#BBBBBB" lw 5
set style line 12 lc rgb "#CC79A7" lw 1.8
set style line 13 lc rgb "#D55E00" lw 1.8
set style line 14 lc rgb "#009E73" lw 1.8
set style line 15 lc rgb "#222222" lw 1.6
times = "fastest_us parallel_us basic_us time_model_us"
# One key for all panels, drawn with the first.
unset key
set style textbox opaque noborder margins 0.4,0.4
do for [i=1:words(k_bs)] {
    set label 10+i "k_b = ".word(k_bs, i) at screen 0.03+key_step*(i-1),keys offset 0.8,0 \
        point pt mark[i] ps 0.8 lc rgb blue[i] font ",9"
}
names = '"fastest" "parallel cost" "basic, serial cost" "time model" "exact"'
array at[5] = [0.325, 0.495, 0.635, 0.80, 0.925]
do for [i=1:5] {
    set label 20+i word(names, i) at screen at[i],line_keys offset 0.6,0 font ",9"
    set arrow 20+i from screen at[i]-0.03,line_keys to screen at[i],line_keys nohead ls 10+i
}
set label 26 "chosen by" at screen 0.455,line_keys right font ",9"
do for [p=1:down*across] {
    # The rows of this panel alone: each is read a dozen times.
    set print $cell
    print system(sprintf("awk -F, 'NR == 1 { for (c = 1; c < NF && $c != \"panel\"; c++) ; print; \
        next } $c == %d' '%s'", p, csv))
    unset print
    set autoscale
    if (|$cell| < 2) {
        set multiplot next
    } else {
        stats $cell using "exact_us" nooutput
        exact = STATS_max
        array of_cell[3]
        do for [i=1:3] {
            stats $cell using (column(word("n k m", i))) nooutput
            of_cell[i] = STATS_max
        }
        stats $cell using (column("ratio_at_99") > 0 ? column("ratio_at_99") : 0) nooutput
        set label 2 (STATS_max > 0 ? sprintf("%.2f×", STATS_max) : "-") at graph 0.97,ratio right \
            font ",12" tc rgb (STATS_max < 1 ? "#0072B2" : "#B04A00") boxed front
        set title sprintf("n = %s, k = %s", of(of_cell[1]), count(of_cell[2])) \
            .(show_m ? sprintf(", m = %d", of_cell[3]) : "") font ",10" offset 0,-0.8
        set xrange [exact*low:exact*high]
        set yrange [bottom:one*0.1]
        set xtics ("1" 1, "10" 10, "100" 100, "1000" 1e3, "10^4" 1e4, "10^5" 1e5, "10^6" 1e6) \
            offset 0,0.4
        if (high/low < 60) { set xtics add ("2" 2, "5" 5, "20" 20, "5000" 5e3, \
            "2·10^4" 2e4, "5·10^4" 5e4) }
        set label 1 us(exact) at exact,graph 0.945 left offset 0.4,0 font ",9" tc rgb "#222222" \
            boxed front
        set ylabel (p % across == 1 ? "recall" : "") offset 1 font ",10"
        if (p % across == 1) { set ytics (".9" 0.1, ".99" 0.01, ".999" 1e-3, ".9999" 1e-4, \
            ".99999" 1e-5, "1" one) } else { set ytics ("" 0.1, "" 0.01, "" 1e-3, "" 1e-4, \
            "" 1e-5, "" one) }
        set xlabel (p > across*(down - 1) ? "us a call" : "") font ",10" offset 0,0.8
        set object 1 rectangle from graph 0,0 to first exact,graph 1 fs solid noborder \
            fc rgb "#F0F5FA" behind
        set arrow 1 from exact,graph 0 to exact,graph 1 nohead ls 15 front
        plot for [i=1:4] $cell using (column(word(times, i))): \
                 (loss(column("recall"))) with steps ls 10+i notitle, \
             for [i=1:words(k_bs)] $cell using (column("k_b") >= first_of(word(k_bs, i)) \
                 && column("k_b") <= last_of(word(k_bs, i)) ? column("time_us") \
                 : NaN):(loss(column("recall"))) \
                 with points pt mark[i] ps 0.62 lc rgb blue[i] notitle
        unset label 1
        unset arrow 1
        unset for [i=11:26] label i
        unset for [i=21:25] arrow i
    }
}
unset multiplot
