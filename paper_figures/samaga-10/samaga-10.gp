# height 430
# column
set margins 9,3,4,2
set title "n = 430,080, k = 3,360: exact mean and sd of a row" font ",9"
set logscale x 2
set format x "%g"
set xtics (3360, 6720, 13440, 26880)
set xlabel "candidates b k_b"
set ylabel "recall" offset 1
set xrange [3100:43000]
set yrange [0.6:1.02]
set key bottom right reverse Left
set arrow 1 from 3360,0.6 to 3360,1.02 nohead ls 9 dt 3
set arrow 2 from 3100,1 to 43000,1 nohead ls 9 dt 3
kbs = "1 2 3 4 6 8"
plot for [i=1:6] csv using (column("k_b") == word(kbs, i)+0 ? column("candidates") : NaN):"recall" \
         with lines ls i lw 0.8 notitle, \
     for [i=1:6] csv using (column("k_b") == word(kbs, i)+0 \
         ? column("candidates") : NaN):"recall":"recall_sd" with yerrorbars ls i \
         title "k_b = ".word(kbs, i)
