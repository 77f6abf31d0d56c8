# height 400
# column
set xlabel "cached tokens"
set ylabel "speed-up of a step" offset 1
set xrange [0:42500]
set xtics 10000
set yrange [1:2.3]
set key top left reverse Left
plot csv using (column("k")*16 == column("n") || column("n") == 16 ? column("n") : NaN):"speedup" \
         with linespoints ls 1 title "k = n/16 (their code)", \
     csv using (column("k")*8 == column("n") ? column("n") : NaN):"speedup" \
         with linespoints ls 2 dt 2 title "k = n/8 (their text)"
