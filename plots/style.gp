# style.gp - the style of all figures. plots/make.py calls it with these variables: csv (a file),
# published (the folder runs/), runs (a folder).
# The colours are those of Okabe and Ito, which colour-blind people can tell apart. In grey this
# order goes from darker to lighter. A recall error grows downwards in every figure (better is up),
# the error of an output upwards, as in SAAP.
set datafile separator comma
set datafile columnheaders
set datafile missing NaN
set encoding utf8
set style line 1 lc rgb "#0072B2" lw 1.6 pt 7 ps 0.55
set style line 2 lc rgb "#D55E00" lw 1.6 pt 9 ps 0.65
set style line 3 lc rgb "#009E73" lw 1.6 pt 5 ps 0.5
set style line 4 lc rgb "#CC79A7" lw 1.6 pt 13 ps 0.7
set style line 5 lc rgb "#E69F00" lw 1.6 pt 11 ps 0.65
set style line 6 lc rgb "#56B4E9" lw 1.6 pt 3 ps 0.6
set style line 9 lc rgb "#555555" lw 1.0 dt 2
# Methods of sparse attention, drawn with "ls method(NAME)": k-means is blue, SAAP orange (both
# lighter before RoPE), hashes green, pink and purple, the others black and grey.
sparse = "topk bucketed sparq quest random kmeans kmeans-unroped saap-roped saap lsh-magicpig \
lsh-argmax lsh-gray"
sparse_colours = "#000000 #777777 #777777 #999999 #999999 #0072B2 #56B4E9 #D55E00 #E69F00 #009E73 \
#CC79A7 #6A3D9A"
sparse_marks = "0 1 2 3 0 7 6 9 8 5 13 11"
do for [i=1:words(sparse)] {
    set style line 30 + i lc rgb word(sparse_colours, i) pt int(word(sparse_marks, i)) lw 1.6 ps 0.6
}
set style line 35 dt 2
method(name) = 30 + words(substr(sparse, 1, strstrt(" ".sparse." ", " ".name." ")))
set border lw 0.8
set grid lw 0.4 lc rgb "#cccccc"
set tics nomirror
set key samplen 2 spacing 1.05
set format y "%g"
# The name of a file of measured runs if it exists, otherwise an empty text. (Figures spell out the
# names, so that plots/make.py finds them.)
there(file) = system("test -f '".file."' && echo '".file."'")
# Powers of two and of ten on logarithmic axes.
two = '"2^{%L}"'
ten = '"10^{%L}"'
