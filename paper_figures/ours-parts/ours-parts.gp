# height 430
set multiplot layout 1,2 margins 0.075,0.985,0.15,0.9 spacing 0.1,0
set logscale x 2
set format x @two
set xlabel "parts"
set title "what all parts send, n = 1,048,576, k = 2048" font ",10" offset 0,-0.6
set ylabel "elements sent / k" offset 0
set logscale y 2
set xrange [2**0.8:2**10.2]
set yrange [0.95:64]
set key top left Left reverse font ",9"
sent(rule) = column("n") == 2**20 && strcol("goal") eq rule \
    ? column("sent")/column("k") : NaN
is_least(n) = column("n") == n && strcol("goal") eq "lose_at_most"
least(limit) = is_least(2**20) && column("limit") == limit \
    ? column("sent")/column("k") : NaN
plot csv using "parts":(sent("full")) with linespoints ls 9 title "full k", \
     csv using "parts":(sent("milvus")) with linespoints ls 5 title "Milvus, proposed", \
     csv using "parts":(sent("lucene")) with linespoints ls 2 title "Lucene", \
     csv using "parts":(least(1e-9)) with linespoints ls 4 title "loses in 1e-9", \
     csv using "parts":(least(1e-6)) with linespoints ls 1 title "1e-6", \
     csv using "parts":(least(1e-3)) with linespoints ls 3 title "1e-3"
set title "rows that need a second round, n = 2,097,152, k = 2048" font ",10" offset 0,-0.6
unset logscale x
set format x "%g"
set xlabel "elements sent / k"
set ylabel "P(not proved)" offset 0
set logscale y 10
set format y @ten
set xrange [1:4]
set yrange [1e-12:1]
set key bottom right reverse Left font ",9"
front(parts) = is_least(2**21) && column("parts") == parts \
    ? column("sent")/column("k") : NaN
plot csv using (front(8)):"probability_unproved" with linespoints ls 1 title "8 parts", \
     csv using (front(64)):"probability_unproved" with linespoints ls 2 title "64 parts", \
     csv using (front(512)):"probability_unproved" with linespoints ls 3 title "512 parts"
unset multiplot
