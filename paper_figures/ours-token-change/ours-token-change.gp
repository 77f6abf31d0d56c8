# height 430
set multiplot layout 1,2 margins 0.08,0.975,0.15,0.9 spacing 0.085,0
set xlabel "recall error, 1 - recall"
set logscale xy
set xrange [0.3:1e-3]
set format x "%g"
set format y @ten
set title "total variation, k = 50: k_b = 4 (points), 1 (dots)" font ",10" offset 0,-0.6
set ylabel "change of the token's distribution"
set yrange [1e-5:0.3]
set key bottom left Left reverse font ",9" maxrows 4
of(value, k_b, chain) = column("k_b") == k_b && strcol("token_chain") eq chain ? column(value) : NaN
none = "top-k"
most = "top-p=0.9"
half = "top-p=0.5"
error(k_b, chain) = 1 - of("recall", k_b, chain)
change(k_b, chain) = of("token_total_variation", k_b, chain)
plot csv using (error(4, none)):(change(4, none)) with linespoints ls 1 title "top-k alone", \
     csv using (error(4, most)):(change(4, most)) with linespoints ls 2 title "top-p 0.9", \
     csv using (error(4, half)):(change(4, half)) with linespoints ls 3 title "top-p 0.5", \
     csv using (error(4, half)):(of("lost_mass", 4, half)) with lines ls 3 dt 2 \
         title "lost mass, top-p 0.5", \
     csv using (error(1, none)):(change(1, none)) with lines ls 1 dt 3 notitle, \
     csv using (error(1, most)):(change(1, most)) with lines ls 2 dt 3 notitle, \
     csv using (error(1, half)):(change(1, half)) with lines ls 3 dt 3 notitle
set title "another token with the same random number, k_b = 4" font ",10" offset 0,-0.6
set ylabel "share of tokens"
noise(chain) = of("token_differs", 4, chain)
rank(chain) = of("token_differs_by_rank", 4, chain)
plot csv using (error(4, none)):(noise(none)) with linespoints ls 1 title "top-k alone, noise", \
     csv using (error(4, most)):(noise(most)) with linespoints ls 2 title "top-p 0.9", \
     csv using (error(4, half)):(noise(half)) with linespoints ls 3 title "top-p 0.5", \
     csv using (error(4, none)):(rank(none)) with lines ls 1 dt 2 title "sums by rank", \
     csv using (error(4, most)):(rank(most)) with lines ls 2 dt 2 notitle, \
     csv using (error(4, half)):(rank(half)) with lines ls 3 dt 2 notitle
unset multiplot
