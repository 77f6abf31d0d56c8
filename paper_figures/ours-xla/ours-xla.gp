# height 430
set multiplot layout 1,2 margins 0.08,0.985,0.15,0.9 spacing 0.085,0
set logscale x 2
set format x @two
set xlabel "k"
set title "candidates for recall 0.95, n = 1,048,576" font ",10" offset 0,-0.6
set ylabel "candidates b k_b / k" offset 1
set logscale y 2
set xrange [2**3.5:2**16.5]
set yrange [0.9:256]
set key top right reverse Left font ",8"
plot csv using (column("n") == 2**20 && strcol("rule") eq "xla" ? column("k") : NaN): \
         (column("candidates")/column("k")) with linespoints ls 2 title "XLA's approx\\_max\\_k", \
     csv using (column("n") == 2**20 && strcol("rule") eq "exact" \
         && column("k_b") == 1 ? column("k") : NaN):(column("candidates")/column("k")) \
         with linespoints ls 1 title "smallest, k_b = 1", \
     csv using (column("n") == 2**20 && strcol("rule") eq "exact" \
         && column("k_b") == 4 ? column("k") : NaN):(column("candidates")/column("k")) \
         with linespoints ls 3 title "smallest, k_b = 4"
set title "what XLA keeps when asked for 0.95" font ",10" offset 0,-0.6
set ylabel "recall" offset 0
unset logscale y
set xrange [2**3.5:2**14.5]
set yrange [0.945:1.001]
set key at graph 0.97,0.6 right reverse Left font ",8"
set label 1 "asked for" at graph 0.97,first 0.9515 right font ",8" tc rgb "#555555"
set arrow 1 from graph 0,first 0.95 to graph 1,first 0.95 nohead ls 9
plot for [i=0:4] csv using (column("n") == 2**(12 + 2*i) \
         && strcol("rule") eq "xla" ? column("k") : NaN):"recall" with linespoints ls i+1 \
         title sprintf("n = 2^{%d}", 12 + 2*i)
unset multiplot
