# height 470
set multiplot layout 1,2 margins 0.07,0.985,0.14,0.9 spacing 0.075,0
set logscale xy
set format x @ten
set key top left font ",10" opaque
of(kind) = strcol("kind") eq kind
large(v) = of("copies") && column("bytes") >= 2**28 ? v : NaN
# The line of one shape each: what is predicted grows with the bytes.
set title "copies the k winning buckets whole" font ",11" offset 0,-0.6
set xlabel "elements" font ",11"
set ylabel "us of concatenation" offset 1 font ",11"
set yrange [900:60000]
set xrange [50:3e9]
set ytics ("1000" 1000, "2000" 2000, "5000" 5000, "10000" 10000, "20000" 20000, "50000" 50000)
plot csv using (large(column("reaching"))):"concat_us" with points pt 6 ps 0.5 \
         lc rgb "#BBBBBB" title "against R, the elements above the threshold", \
     csv using (of("copies") && column("size") >= 32 ? column("bytes")/4 : NaN):"concat_us" \
         with points ls 1 title "against k buckets of 32 elements or more", \
     csv using (of("copies") && column("size") < 32 ? column("bytes")/4 : NaN):"concat_us" \
         with points ls 5 title "against k buckets of fewer", \
     csv using (of("copies") ? column("bytes")/4 : NaN):"predicted_us" smooth unique with lines \
         lc rgb "#222222" lw 1.4 title "a start, and so many bytes a second"
set title "collects the elements above the threshold" font ",11" offset 0,-0.6
set ylabel ""
set xrange [0.5:1e8]
set xlabel "R, elements that reach the threshold (expected)" font ",11"
plot csv using (of("collects") ? column("reaching") : NaN):"concat_us" with points ls 2 ps 0.9 \
         title "measured", \
     csv using (of("collects") ? column("reaching") : NaN):"predicted_us" smooth unique with lines \
         lc rgb "#222222" lw 1.4 title "a start, and one atomic addition an element"
unset multiplot
