# height 430
set multiplot layout 1,2 margins 0.08,0.985,0.15,0.9 spacing 0.06,0
set logscale x 2
set logscale y 10
set format x @two
set format y "%g"
set ytics (1, 1.5, 2, 3, 5, 10)
set xlabel "k / n"
set xrange [2**-10.5:2**-0.5]
set yrange [0.9:12]
do for [ratio in "1 4"] {
    set title sprintf("b k_b = %s k, n = 65,536", ratio) font ",10" offset 0,-0.6
    set ylabel (ratio eq "1" ? "binomial loss / exact loss" : "") offset 1
    if (ratio eq "1") { set key top left reverse Left } else { unset key }
    plot for [i=1:4] csv using (column("k_b") == 2**(i-1) && column("b")*column("k_b") == column("k")*ratio && column("loss") > 0 ? column("k")/column("n") : NaN):(column("loss_binomial")/column("loss")) with linespoints ls i title sprintf("k_b = %d", 2**(i-1))
}
unset multiplot
