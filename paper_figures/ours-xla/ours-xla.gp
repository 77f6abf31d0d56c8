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
set key top right reverse Left font ",9"
plot csv using (column("n") == 2**20 && strcol("rule") eq "xla" ? column("k") : NaN): \
         (column("candidates")/column("k")) with linespoints ls 2 title "XLA's approx\\_max\\_k", \
     csv using (column("n") == 2**20 && strcol("rule") eq "exact" \
         && column("k_b") == 1 ? column("k") : NaN):(column("candidates")/column("k")) \
         with linespoints ls 1 title "smallest, k_b = 1", \
     csv using (column("n") == 2**20 && strcol("rule") eq "exact" \
         && column("k_b") == 4 ? column("k") : NaN):(column("candidates")/column("k")) \
         with linespoints ls 3 title "smallest, k_b = 4"
set title "what XLA loses when asked for a recall of 0.95" font ",10" offset 0,-0.6
set ylabel "recall error, 1 - recall" offset 1
set logscale y 10
set xrange [2**3.5:2**14.5]
set yrange [0.06:0.0045]
set ytics (0.05, 0.02, 0.01, 0.005)
set key at graph 0.97,0.5 right reverse Left font ",9" maxrows 3
set label 1 "asked for: at most 0.05" at graph 0.97,first 0.046 right font ",9" tc rgb "#555555"
set arrow 1 from graph 0,first 0.05 to graph 1,first 0.05 nohead ls 9
plot for [i=0:4] csv using (column("n") == 2**(12 + 2*i) \
         && strcol("rule") eq "xla" ? column("k") : NaN):(1 - column("recall")) \
         with linespoints ls i+1 title sprintf("n = 2^{%d}", 12 + 2*i)
unset multiplot
