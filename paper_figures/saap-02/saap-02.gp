# height 440
set multiplot layout 1,2 margins 0.075,0.985,0.13,0.91 spacing 0.075,0
samplings = "'uniform' 'held out' 'one prompt' 'one time range'"
# Points of a sampling: the layers of a sampling side by side.
layers = "2 8 15 22 28"
at(rope, i, l) = strcol("rope") eq rope && strcol("sampling") eq word(samplings, i) \
    && strcol("layer") eq word(layers, l) ? i + 0.13 * (l - 3) : NaN
set xrange [0.5:4.5]
set xtics ("uniform" 1, "held out" 2, "one prompt" 3, "one time\nrange" 4)
set logscale y
set yrange [0.9:20]
set ytics (1, 2, 3, 5, 10, 20)
set arrow 1 from graph 0,first 1 to graph 1,first 1 nohead ls 9
set key top left Left reverse font ",9"
do for [rope in "before after"] {
    set title "partition of the keys ".rope." RoPE" font ",10" offset 0,-0.6
    set ylabel (rope eq "before" ? "imbalance, C sum p_i^2" : "") offset 1
    plot for [l=1:5] for [i=1:4] csv using (at(rope, i, l)):"imbalance" with points ls l \
        title (i == 1 ? "layer ".word(layers, l) : "")
    unset key
}
unset multiplot
