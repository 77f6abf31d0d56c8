# height 430
set multiplot layout 1,2 margins 0.08,0.985,0.15,0.9 spacing 0.06,0
set logscale x 2
set logscale y 10
set format x @two
set format y "%g"
set ytics (1, 2, 5, 10, 20, 50, 100)
set yrange [0.85:60]
do for [moves in "k n"] {
    set title (moves eq "k" ? "n = 65,536" : "k = 1024").", b k_b = 2k" font ",10" offset 0,-0.6
    set ylabel (moves eq "k" ? "loss / exact loss" : "") offset 0
    set xlabel moves
    set xrange [moves eq "k" ? 2**3.5 : 2**11.5 : moves eq "k" ? 2**14.5 : 2**22.5]
    if (moves eq "k") { set key top right reverse Left font ",9" } else { unset key }
    in(i) = column("k_b") == 2**(i-1) && column("b")*column("k_b") == 2*column("k") \
        && column("loss") > 0 && (moves eq "k" ? column("n") == 65536 : column("k") == 1024)
    plot for [i=1:4] csv using (in(i) ? column(moves) : NaN): \
             (column("loss_binomial")/column("loss")) with linespoints ls i \
             title sprintf("k_b = %d, binomial", 2**(i-1)), \
         for [i=1:4] csv using (in(i) ? column(moves) : NaN):(column("loss_bound")/column("loss")) \
             with lines ls i dt 2 title (i == 1 ? "bound in closed form (dashed)" : "")
}
unset multiplot
