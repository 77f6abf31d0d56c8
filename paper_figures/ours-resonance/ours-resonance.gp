# height 480
set multiplot layout 1,2 margins 0.075,0.985,0.25,0.9 spacing 0.075,0
one(series) = strcol("sweep") eq "b" && strcol("series") eq series ? column("b") : NaN
two_of(series) = strcol("sweep") eq "wavelength" && strcol("series") eq series \
    ? column("wavelength") : NaN
set title "n = 8192, k = 128, b k_b near 150" font ",10" offset 0,-0.6
set xlabel "b"
set ylabel "recall" offset 1
set xrange [5.5:40.5]
set yrange [0.65:1.01]
set key at screen 0.53,0.015 center bottom horizontal maxrows 2 reverse Left width -3 font ",9"
do for [i=1:4] { set arrow i from 9.0039*i,graph 0 to 9.0039*i,graph 1 nohead ls 9 dt 3 }
plot csv using (one("as it is")):"recall" with linespoints ls 1 title "as it is", \
     csv using (one("without RoPE")):"recall" with linespoints ls 3 title "without RoPE", \
     csv using (one("wavelength 10")):"recall" with linespoints ls 5 \
         title "theta that turns 9.00 into 10", \
     csv using (one("shuffled")):"recall" with linespoints ls 6 title "shuffled", \
     csv using (one("wave model")):"recall" with lines ls 2 title "model, one wave", \
     csv using (one("model")):"recall" with lines ls 9 lw 2 lc rgb "#222222" \
         title "model, top-k anywhere"
unset arrow
set title "n = 8192, k = 128, b = 9" font ",10" offset 0,-0.6
set xlabel "second wavelength, by theta"
set ylabel ""
set xrange [8.78:9.22]
set xtics 8.8,0.1,9.2
unset key
plot csv using (two_of("measured")):"recall" with linespoints ls 1, \
     csv using (two_of("wave model")):"recall" with linespoints ls 2
unset multiplot
