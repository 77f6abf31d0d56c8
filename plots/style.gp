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
