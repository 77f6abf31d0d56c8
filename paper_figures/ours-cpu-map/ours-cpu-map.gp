# height 860
set multiplot layout 2,1 margins 0.065,0.885,0.065,0.96 spacing 0,0.06
set logscale x 2
set logscale y 2
set logscale cb 2
set format x @two
set tics font ",9"
unset key
unset grid
set palette defined (-1 "#0072B2", -0.5 "#8FC1E3", 0 "#FFFFFF", 0.5 "#F2B788", 1 "#D55E00")
set cbrange [0.25:4]
set cbtics ("1/4" 0.25, "1/2" 0.5, "1" 1, "2" 2, "4" 4)
set cblabel "time of both stages / of exact top-k" offset -0.3 font ",10"
set label 1 "exact is faster" at screen 0.945,0.975 center font ",9"
set label 2 "both stages are" at screen 0.945,0.038 center font ",9"
set label 3 "faster" at screen 0.945,0.018 center font ",9"
stats csv using (strcol("kind") ne "line" ? column("n") : NaN) nooutput
n_low = STATS_min
n_high = STATS_max
stats csv using (strcol("kind") ne "line" ? column("k") : NaN) nooutput
k_low = STATS_min
k_high = STATS_max
cpu = system("plots/cpu.py name")
of(kind, r) = strcol("kind") eq kind && abs(column("recall") - r) < 1e-6
set style textbox opaque noborder fillcolor rgb "#FFFFFF" margins 0.3,0.3
half = 2**0.25
# Between these lines the sign is within the error of the profile.
levels = "0.8 1.25"
colours = "#00446B #8A3D00"
do for [p=1:2] {
    r = p == 1 ? 0.95 : 0.99
    set object 1 rectangle from graph 0,0 to graph 1,1 fs solid noborder fc rgb "#E4E4E4" behind
    set title sprintf("recall of at least %g; %s, one thread, float32, one row, warm", r, cpu) \
        noenhanced font ",10" offset 0,-0.6
    set xlabel (p == 2 ? "n, elements in a row" : "") font ",10"
    set ylabel "k, elements wanted" offset 1 font ",10"
    if (p == 1) { set colorbox user origin screen 0.9,0.065 size screen 0.018,0.895 } else { \
        unset colorbox }
    set xrange [n_low/1.6:n_high*1.6]
    set yrange [k_low/1.9:k_high*1.9]
    plot csv using (of("predicted", r) ? column("n") : NaN):"k":(column("n")/half): \
             (column("n")*half):(column("k")/half):(column("k")*half):"ratio" \
             with boxxyerror fs solid noborder lc palette, \
         for [line=1:2] csv using (of("line", r) \
                 && abs(column("ratio") - word(levels, line)) < 1e-6 ? column("n") : NaN):"k": \
                 (column("n_2")-column("n")):(column("k_2")-column("k")) \
             with vectors nohead lc rgb word(colours, line) lw 2, \
         csv using (of("measured", r) ? column("n") : NaN):"k":"ratio" \
             with points pt 7 ps 2 lc palette, \
         csv using (of("measured", r) ? column("n") : NaN):"k" \
             with points pt 6 ps 2 lw 1.2 lc rgb "#222222", \
         for [place=1:2] csv using (of("measured", r) && column("label") == place \
                 ? column("n") : NaN):"k":(sprintf("%.2f", column("ratio"))) \
             with labels boxed font ",9" offset 0,(place == 1 ? -1.0 : 1.0) tc rgb "#000000"
    unset for [i=1:3] label i
}
unset multiplot
