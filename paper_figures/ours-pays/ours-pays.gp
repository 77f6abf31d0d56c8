# height 1250
set multiplot layout 4,3 margins 0.075,0.99,0.075,0.97 spacing 0.03,0.058
set tics out font ",9" scale 0.4
unset grid
unset key
set title font ",10" offset 0,-0.7
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
    set label 10+i name at screen 0.06+(i == 1 ? 0 : 0.17+0.11*(i-1)),0.016 \
        offset 1.5,0 point pt 5 ps 1.8 lc rgb Strong[i] font ",10"
}
set label 16 "pale: predicted" at screen 0.81,0.016 font ",10"
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
        'FlashInfer default' 'FlashInfer clusters' 'DeepSelect, cold' 'SGLang v2, cold' \
        'gvr_v2, cold'", panel)
    if (panel == 7) { source = "trtllm/exact-b200" }
    set title sprintf("B200, %s, k = %d", name, k) noenhanced
    if (column == 1) { set ytics (1, 4, 16, 64, 256, 1024) } \
    else { set ytics ("" 1, "" 4, "" 16, "" 64, "" 256, "" 1024) }
    set format y (column == 1 ? "%g" : "")
    set ylabel (column == 1 ? "rows m" : "") offset 1
    set xrange [2**9.3:2**(panel < 7 ? 19.7 : 18.7)]
    set yrange [0.45:(panel < 7 ? 600 : 2400)]
    eval "plot ".map
    unset for [i=11:16] label i
}
# Kernels of TensorRT-LLM's study, from the slowest to the fastest.
Kernels = "trtllm_radix_cuda hpc_ops_fp32 deepselect_fp32 flashinfer_0_6_14 \
sglang_v2_plan_transform gvr_v2"
place(name) = sum [i=1:6] (name eq word(Kernels, i) ? i : 0)
unset logscale y
set xlabel "n" offset 0,0.8
set ylabel ""
do for [panel=1:2] {
    m = panel == 1 ? 1 : 1024
    set title sprintf("B200, cold, k = 512, m = %d", m)
    set xrange [2**9.4:2**18.6]
    set yrange [0.4:6.6]
    if (panel == 1) { set ytics ("TRT-LLM\nradix" 1, "hpc-ops" 2, "Deep-\nSelect" 3, \
        "Flash-\nInfer" 4, "SGLang" 5, "gvr\\_v2" 6) font ",8" } \
    else { set ytics ("" 1, "" 2, "" 3, "" 4, "" 5, "" 6) }
    plot csv using (at(here("measured", source, "any", 512, m))):(place(strcol("kernel"))): \
             (Strong[class(column("gain"))]) with points pt 5 ps 2.9 lc rgb variable, \
         csv using (at(here("measured", source, "any", 512, m))):(place(strcol("kernel"))): \
             (shown(column("gain"))) with labels font ",8"
}
set title "H100 PCIe, torch.topk, m = 256"
set logscale y 2
set format y @two
set ytics (1, 2**4, 2**8, 2**12, 2**16, 2**20) font ",8" offset 0.7,0
set label 20 "k" at graph 0.03,0.94
one(is) = is && column("k") != 2 && column("k") != 3
set xrange [2**9:2**23]
set yrange [2**-1.2:2**21.2]
plot csv using (at(one(here("measured", "keyetal/exact", "any", 0, 256)))):"k": \
         (Strong[class(column("gain"))]) with points pt 5 ps 2.0 lc rgb variable, \
     csv using (at(one(here("measured", "keyetal/exact", "any", 0, 256)))):"k": \
         (shown(column("gain"))) with labels font ",8"
unset multiplot
