# height 430
set margins 9,14,3.6,2
set title "candidates with k_b = 1 over the fewest with k_b = 1..4, recall 0.99, b a multiple of 128 that divides n" font ",9"
set logscale x 2
set logscale y 10
set logscale cb 2
set format x @two
set format y "%g"
set xlabel "n"
set ylabel "k / n" offset 1
set xrange [2**7.5:2**32.5]
set yrange [7e-5:0.36]
set cblabel "times the candidates" offset -0.5
set cbrange [1:16]
set cbtics ("1" 1, "2" 2, "4" 4, "8" 8, "16" 16)
set palette defined (0 "#f2f2f2", 0.5 "#56B4E9", 1 "#003f6b")
unset key
set grid noxtics noytics
plot csv using (column("k_b") == 1 ? column("n") : NaN):(column("k")/column("n")):(column("n")/1.36):(column("n")*1.36):(column("k")/column("n")/1.19):(column("k")/column("n")*1.19):"over_least" with boxxyerror fs solid noborder lc palette, \
     csv using (column("k_b") == 1 && column("over_least") < 6 ? column("n") : NaN):(column("k")/column("n")):(sprintf("%.2g", column("over_least"))) with labels font ",6" tc rgb "#000000", \
     csv using (column("k_b") == 1 && column("over_least") >= 6 ? column("n") : NaN):(column("k")/column("n")):(sprintf("%.2g", column("over_least"))) with labels font ",6" tc rgb "#ffffff"
