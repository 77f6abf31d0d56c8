# height 980
set multiplot layout 3,3 margins 0.075,0.99,0.095,0.95 spacing 0.03,0.085
set tics out font ",9" scale 0.4
unset grid
unset key
set title font ",10" offset 0,-0.5
# The classes of the gain: a strong colour for what was measured, a pale one for what is predicted.
class(g) = g < 1.1 ? 1 : g < 1.5 ? 2 : g < 3 ? 3 : g < 10 ? 4 : 5
array Strong[5] = [0xD55E00, 0xF0B27A, 0xD6E6F2, 0x8BBDE0, 0x3F8FC8]
array Pale[5] = [0xF3C9AD, 0xFBE9D7, 0xF3F8FB, 0xDCEAF6, 0xC0DAEE]
shown(g) = g < 9.95 ? sprintf("%.1f", g) : sprintf("%.0f", g)
here(kind, source, kernel, k, m) = strcol("kind") eq kind && strcol("source") eq source && \
    column("recall") == 0.95 && (kernel eq "any" || strcol("kernel") eq kernel) && \
    (k == 0 || column("k") == k) && (m == 0 || column("m") == m)
at(is) = is ? column("n") : NaN
do for [i=1:5] {
    name = word("'below 1.1: do not approximate' '1.1 to 1.5' '1.5 to 3' '3 to 10' 'above 10'", i)
    set label 10+i name at screen 0.06+(i == 1 ? 0 : 0.17+0.11*(i-1)),0.02 \
        offset 1.5,0 point pt 5 ps 1.8 lc rgb Strong[i] font ",10"
}
set label 16 "pale: predicted" at screen 0.81,0.02 font ",10"
set logscale xy 2
set format x @two
set xtics (2**8, 2**10, 2**12, 2**14, 2**16, 2**18, 2**20, 2**22) offset 0,0.3
# A panel of the map: predicted cells, lines of equal gain, measured shapes with their gain.
source = "flashinfer/exact-blackwell"
map = "csv using (at(here('predicted', source, kernel, k, 0))):'m':(column('n')/sqrt(2)): \
    (column('n')*sqrt(2)):(column('m')/sqrt(2)):(column('m')*sqrt(2)): \
    (Pale[class(column('gain'))]) with boxxyerror fs solid noborder lc rgb variable, \
    csv using (at(here('line', source, kernel, k, 0))):'m':(column('n_2') - column('n')): \
    (column('m_2') - column('m')) with vectors nohead lc rgb '#222222' lw 1.3, \
    csv using (at(here('measured', source, kernel, k, 0))):'m':(Strong[class(column('gain'))]) \
    with points pt 5 ps 2.9 lc rgb variable, \
    csv using (at(here('measured', source, kernel, k, 0))):'m':(shown(column('gain'))) \
    with labels font ',8'"
do for [panel=1:9] {
    column = (panel - 1) % 3 + 1
    k = panel > 3 && panel < 7 ? 2048 : 512
    kernel = word("torch.topk flashinfer_default flashinfer_clusters torch.topk \
        flashinfer_default flashinfer_clusters deepselect_fp32 sglang_v2_plan_transform gvr_v2", \
        panel)
    name = word("torch.topk 'FlashInfer default' 'FlashInfer clusters' torch.topk \
        'FlashInfer default' 'FlashInfer clusters' DeepSelect 'SGLang v2' gvr_v2", panel)
    if (panel == 7) { source = "trtllm/exact-b200" }
    set title sprintf("%s, k = %d\n%s", name, k, \
        panel < 7 ? "Blackwell (card not stated)" : "B200, cold") noenhanced
    if (column == 1) { set ytics (1, 4, 16, 64, 256, 1024) } \
    else { set ytics ("" 1, "" 4, "" 16, "" 64, "" 256, "" 1024) }
    set format y (column == 1 ? "%g" : "")
    set ylabel (column == 1 ? "rows m" : "") offset 1
    set xlabel (panel > 6 ? "n" : "") offset 0,0.6
    set xrange [2**9.3:2**(panel < 7 ? 19.7 : 18.7)]
    set yrange [0.45:(panel < 7 ? 600 : 2400)]
    eval "plot ".map
    unset for [i=11:16] label i
}
unset multiplot
