# height 440
set multiplot layout 1,2 margins 0.075,0.98,0.13,0.91 spacing 0.085,0
of(k) = column("k") == k ? column("layer") + 0.07 * (column("head") - 4) : NaN
set title "the 256 largest of 8192, of each head" font ",10" offset 0,-0.6
set xlabel "layer"
set xrange [-0.8:29.8]
set ylabel "share of the attention mass" offset 1
set yrange [0:1.02]
set key bottom right samplen 1 font ",9"
plot csv using (of(256)):"mass" with points pt 7 ps 0.35 lc rgb "#0072B2" title "a head"
set title "the k largest, heads of five layers" font ",10" offset 0,-0.6
set xlabel "k"
set logscale x 2
set xrange [14:4700]
set xtics (16, 64, 256, 1024, 4096)
set ylabel ""
set key bottom right font ",9"
layers = "0 2 8 15 28"
in(l, h) = strcol("layer") eq word(layers, l) && column("head") == h ? column("k") : NaN
plot for [l=1:5] for [h=0:8] csv using (in(l, h)):"mass" with linespoints ls l lw 0.8 ps 0.35 \
    title (h == 0 ? "layer ".word(layers, l) : "")
unset multiplot
