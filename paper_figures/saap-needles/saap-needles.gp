# height 500
set multiplot layout 2,5 margins 0.075,0.885,0.12,0.93 spacing 0.02,0.12
methods = "full topk bucketed sparq quest kmeans kmeans-unroped saap kmeans-unroped-trained \
streaming"
names = "'all keys' 'exact top-k' 'bucketed, k_b = 1' 'SparQ, r = 16' 'Quest, pages of 16' \
'k-means, after RoPE' 'k-means, before' 'SAAP' 'its centroids alone' 'dense part alone'"
# A needle of a method, by the place of its length and depth.
of(m) = strcol("method") eq word(methods, m) ? log(column("length") / 1024) / log(2) : NaN
depth = '(12.5 + 25 * floor(4 * column("depth")))'
set palette defined (0 "#FFFFFF", 4 "#D5D5D5", 5 "#444444")
set palette maxcolors 6
set cbrange [-0.5:5.5]
set cbtics 1 scale 0
set cblabel "digits of the key that are right" font ",10"
set xrange [-0.55:3.55]
set yrange [101:-1]
set tics font ",9" scale 0
set format y "%.0f %%"
set ytics (0, 25, 50, 75, 100)
unset grid
unset key
do for [m=1:10] {
    # "all keys" and "dense part alone", black, are no methods of style.gp.
    of_style = m == 9 ? "kmeans-unroped" : word(methods, m)
    colour = m == 1 || m == 10 ? "#000000" : word(sparse_colours, method(of_style) - 30)
    set title word(names, m) font ",10" offset 0,-0.6 tc rgb colour
    set xlabel (m > 5 ? "tokens" : "") font ",10" offset 0,0.4
    set xtics ("1024" 0, "2048" 1, "4096" 2, "8128" 3)
    if (m % 5 == 1) { set ylabel "depth in the text" offset 0.5; set format y "%.0f %%" } \
    else { set ylabel ""; set format y "" }
    if (m == 10) { set colorbox user origin screen 0.905,0.12 size screen 0.018,0.81 } \
    else { unset colorbox }
    plot csv using (of(m)):@depth:(0.47):(11.8):"digits" with boxxyerror fs solid noborder \
            lc palette, \
        csv using (of(m)):@depth:(sprintf("%d", column("digits"))) with labels font ",9" \
            tc rgb "#000000", \
        csv using (column("found") == 1 ? of(m) : NaN):@depth:(sprintf("%d", column("digits"))) \
            with labels font ",9" tc rgb "#FFFFFF"
}
unset multiplot
