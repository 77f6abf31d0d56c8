# height 430
set multiplot layout 1,2 margins 0.075,0.985,0.15,0.9 spacing 0.075,0
of(layer, assignment) = strcol("layer") eq layer && strcol("assignment") eq assignment \
    && column("k_b") == 4 ? column("k") : NaN
layers = "2 8 15 22 28 vocabulary"
name(i) = i < 6 ? "layer ".word(layers, i) : "vocabulary"
set logscale x 2
set xrange [52:1260]
set xtics (64, 128, 256, 512, 1024)
set xlabel "k, with b k_b = k and k_b = 4"
set arrow 1 from graph 0,first 1 to graph 1,first 1 nohead ls 9
set title "interleaved" font ",10" offset 0,-0.6
set ylabel "loss / loss of the model" offset 1
set yrange [0.5:1.1]
set key bottom left reverse Left font ",9"
plot for [i=1:6] csv using (of(word(layers, i), "interleaved")):"loss_ratio" \
    with linespoints ls i title name(i)
set title "contiguous" font ",10" offset 0,-0.6
set ylabel ""
set yrange [0:5]
unset key
plot for [i=1:6] csv using (of(word(layers, i), "contiguous")):"loss_ratio" \
    with linespoints ls i title name(i)
unset multiplot
