# height 800
int8 = "paper_figures/saap-choices/int8.csv"
reformer = "paper_figures/saap-choices/reformer.csv"
set multiplot layout 2,2 margins 0.075,0.985,0.075,0.955 spacing 0.075,0.125
set logscale xy
set format y @ten
set key bottom left Left reverse font ",9" opaque
set ylabel "error of the output" offset 1
is(m, c, from, distance) = strcol("method") eq m && column("clusters") == c && \
    strcol("centroids") eq from && strcol("distance") eq distance && column("visited") > 0

# Buckets.
sizes = "32 128 512 2048"
shades = "#9CC9E8 #4A8FC7 #1F5F9E #0B2F5B"
of(c, from) = is("kmeans", word(sizes, c), from, "euclidean") ? column("bytes_read") : NaN
do for [c=1:4] { set style line c lc rgb word(shades, c) lw 1.6 pt int(word("7 9 5 13", c)) ps 0.6 }
set title "k-means after RoPE: C = 512 is ahead from 400 kB on" font ",10" offset 0,-0.6
set xlabel "bytes, of keys, values and index"
set yrange [6e-5:1]
set xrange [3e4:1.3e6]
set xtics ("50 k" 5e4, "100 k" 1e5, "200 k" 2e5, "500 k" 5e5, "1 M" 1e6)
plot for [c=1:4] csv using (of(c, "own")):"error" with linespoints ls c \
        title "C = ".word(sizes, c), \
    for [c=1:4] csv using (of(c, "trained")):"error" with linespoints ls c dt 2 \
        title (c == 4 ? "centroids of other documents" : "")

# Distances.
at(m, distance) = is(m, 128, "own", distance) ? column("selectivity") : NaN
set title "spherical k-means, C = 128: better before RoPE alone" font ",10" offset 0,-0.6
set xlabel "selectivity, the dense part counted"
set ylabel ""
set yrange [1e-4:1]
set xrange [0.018:0.5]
set xtics (0.02, 0.05, 0.1, 0.2, 0.4)
plot csv using (at("kmeans-unroped", "euclidean")):"error" with linespoints \
        ls method("kmeans-unroped") title "before RoPE", \
    csv using (at("kmeans-unroped", "inner product")):"error" with linespoints \
        ls method("kmeans-unroped") dt 2 title "before RoPE, spherical", \
    csv using (at("kmeans", "euclidean")):"error" with linespoints \
        ls method("kmeans") title "after RoPE", \
    csv using (at("kmeans", "inner product")):"error" with linespoints \
        ls method("kmeans") dt 2 title "after RoPE, spherical"

# Keys of 8 bits.
methods = "topk sparq bucketed kmeans kmeans-unroped quest"
names = "'exact top-k' 'SparQ, r = 16' 'bucketed, k_b = 1' 'k-means, after RoPE' \
'k-means, before RoPE' 'Quest, pages of 16'"
with_bits(m, bits) = strcol("method") eq word(methods, m) && column("bits") == bits \
    && column("visited") > 0 ? column("bytes_read") : NaN
set title "keys of 8 bits (dashed): fewer bytes, errors alike" font ",10" offset 0,-0.6
set xlabel "bytes, of keys, values and index"
set ylabel "error of the output" offset 1
set yrange [1e-5:1]
set xrange [2.4e4:2e6]
set xtics ("50 k" 5e4, "100 k" 1e5, "200 k" 2e5, "500 k" 5e5, "1 M" 1e6)
stats int8 using (strcol("method") eq "full" && column("bits") == 8 ? column("error") : NaN) \
    nooutput
full = STATS_max
plot for [m=1:6] int8 using (with_bits(m, 16)):"error" with linespoints \
        ls method(word(methods, m)) title word(names, m), \
    for [m=1:6] int8 using (with_bits(m, 8)):"error" with linespoints \
        ls method(word(methods, m)) dt 2 notitle, \
    full with lines lw 0.8 lc rgb "#000000" title "all keys, of 8 bits"

# Hashes of Reformer.
head(m) = strcol("method") ne m ? NaN : column("layer") == 2 ? 1 : column("layer") == 8 ? 2 \
    : column("layer") == 15 ? 3 : 4
set title "Reformer at 5 % of the keys: hash keys by themselves" font ",10" offset 0,-0.6
set xlabel "layer, query head"
set ylabel ""
unset logscale x
set xrange [0.5:4.5]
set xtics ("2, 0" 1, "8, 3" 2, "15, 6" 3, "28, 0" 4)
set yrange [0.01:1]
set key top left
plot reformer using (head("lsh-argmax-query")):"error" with points ls method("lsh-argmax") pt 12 \
        ps 1.2 title "by the query of its position, as its paper does", \
    reformer using (head("lsh-argmax")):"error" with points ls method("lsh-argmax") ps 1.2 \
        title "by itself"
unset multiplot
