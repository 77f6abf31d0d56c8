# height 430
set margins 9,14,3.6,2
set title "candidates with k_b = 1 over the fewest with k_b = 1..4, ".\
    "recall 0.99, b a multiple of 128 that divides n" font ",9"
set logscale x 2
set logscale y 10
set logscale cb 2
set format x @two
set format y "%g"
set xlabel "n"
set ylabel "k / n" offset 1
set xrange [2**7.5:2**32.5]
set yrange [7e-5:0.36]
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
plot csv using (column("n")):(column("k")/column("n")):(column("n")/1.36):(column("n")*1.36): \
         (column("k")/column("n")/1.19):(column("k")/column("n")*1.19):(@value) \
         with boxxyerror fs solid noborder lc palette, \
     csv using (@value < 6 ? column("n") : NaN):(column("k")/column("n")): \
         (sprintf("%.2g", @value)) with labels font ",6" tc rgb "#000000", \
     csv using (@value >= 6 ? column("n") : NaN):(column("k")/column("n")): \
         (sprintf("%.2g", @value)) with labels font ",6" tc rgb "#ffffff"
