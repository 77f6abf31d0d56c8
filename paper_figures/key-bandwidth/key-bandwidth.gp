# height 640
set multiplot layout 2,3 margins 0.075,0.99,0.17,0.94 spacing 0.025,0.085
set logscale x 2
set logscale y 10
set format x @two
set xrange [2**9.5:2**22.5]
choices = "1:1 1:2 1:4 2:1 4:1"
k_b(i) = int(word(choices, i)[1:1])
ratio(i) = int(word(choices, i)[3:3])
# The marks of the paper; no k has all of its ratios for each n.
set style line 1 pt 7
set style line 2 pt 5
set style line 3 pt 9
set style line 4 pt 2 ps 0.8
set style line 5 pt 1 ps 0.8
names = '"torch.argmax, compiled" "torch.argmax, eager" "torch.topk"'
marks = "8 10 12"
set style line 10 lc rgb "#222222" lw 1.2
do for [m in "256 1"] { do for [panel in "64 n/16 n/4"] {
    wanted(n) = panel eq "64" ? 64 : panel eq "n/16" ? n/16 : n/4
    set title sprintf("m = %s, k = %s", m, panel) font ",10" offset 0,-0.7
    set yrange [(m eq "256" ? 9 : 0.02):2500]
    set ylabel (panel eq "64" ? "GB/s" : "") offset 1
    set format y (panel eq "64" ? "%g" : "")
    set xlabel (m eq "1" ? "n" : "")
    unset key
    is(name) = strcol("work") eq name && column("m") == m+0 && column("k") == wanted(column("n"))
    plot for [i=1:5] csv using (is("two-stage") && column("k_b") == k_b(i) \
             && column("candidates_over_k") == ratio(i) ? column("n") : NaN):"gb_per_s" \
             with linespoints ls i, \
         for [i=1:3] csv using (is(word("argmax-compiled argmax-eager exact", i)) ? \
             column("n") : NaN):"gb_per_s" \
             with linespoints ls 10 dt i pt (word(marks, i)+0) ps 0.7
} }
# The legend, below all panels.
unset border; unset tics; unset grid; unset title; unset xlabel; unset ylabel; unset logscale
set lmargin at screen 0.05; set rmargin at screen 0.99
set bmargin at screen 0.005; set tmargin at screen 0.105
set key center center horizontal maxrows 3 reverse Left font ",9"
set yrange [0:1]
set xrange [0:1]
plot for [i=1:5] 2 with linespoints ls i \
         title sprintf("k_b = %d, b k_b / k = %d", k_b(i), ratio(i)), \
     for [i=1:3] 2 with linespoints ls 10 dt i pt (word(marks, i)+0) ps 0.7 title word(names, i)
unset multiplot
