# height 430
set margins 9,16,3.6,2
set title "candidates with k_b = 1 over the fewest with k_b = 1..4, ".\
    "recall 0.99, b a multiple of 128 that divides n" font ",9"
set logscale cb 2
set xlabel "n"
set ylabel "k / n" offset 1
# A column for each n and a row for each share; k is the nearest whole number.
set xrange [7.5:32.5]
set yrange [-0.5:8.5]
set xtics 2 format "2^{%g}"
set ytics ("0.0001" 0, "0.0005" 1, "0.001" 2, "0.005" 3, "0.01" 4, "0.02" 5, "0.05" 6, "0.1" 7, \
    "0.25" 8) scale 0
set label 1 "k below 1: no cell" at 7.7,0 font ",9" tc rgb "#555555"
set label 2 "all n needed" at 8,7 center rotate by 90 font ",9" tc rgb "#555555"
set cblabel "times the candidates" offset -0.5
set cbrange [1:16]
set cbtics ("1" 1, "2" 2, "4" 4, "8" 8, "16" 16)
set palette defined (0 "#f2f2f2", 0.5 "#56B4E9", 1 "#003f6b")
unset key
set grid noxtics noytics
# Where (k - 1)/(n - 1) exceeds 0.02, k_b = 1 reaches the recall only if it keeps all n elements,
# which select does not offer. The ratio there is n over the fewest candidates.
all(n, k) = (k - 1.0) / (n - 1.0) > 0.02
ratio(n, k, k_b, candidates, least) = \
    all(n, k) ? (least == 1 ? n / candidates : NaN) : (k_b == 1 ? least : NaN)
value = "ratio(column('n'), column('k'), column('k_b'), column('candidates'), column('over_least'))"
share(n, k) = (k/n > 2.2e-4) + (k/n > 7e-4) + (k/n > 2.2e-3) + (k/n > 7e-3) + (k/n > 0.0141) \
    + (k/n > 0.0316) + (k/n > 0.0707) + (k/n > 0.158)
x = "(log(column('n'))/log(2))"
y = "(share(column('n'), column('k')))"
plot csv using (@x):(@y):(@x-0.46):(@x+0.46):(@y-0.44):(@y+0.44):(@value) \
         with boxxyerror fs solid noborder lc palette, \
     csv using (@value < 6 ? @x : NaN):(@y):(sprintf("%.2g", @value)) \
         with labels font ",9" tc rgb "#000000", \
     csv using (@value >= 6 ? @x : NaN):(@y):(sprintf("%.2g", @value)) \
         with labels font ",9" tc rgb "#ffffff"
