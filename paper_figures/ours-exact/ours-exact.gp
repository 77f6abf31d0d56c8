# height 680
set multiplot layout 2,4 margins 0.07,0.99,0.08,0.95 spacing 0.045,0.155
set logscale x 2
set logscale y 10
set format x @two
set tics font ",9"
set xlabel "n" offset 0,0.5
set key bottom right font ",9" samplen 1.2 spacing 0.95 reverse Left
array title[8] = ["B200, k = 512, m = 1", "B200, k = 512, m = 1024", \
    "A100 PCIe, k = 2048, m = 256", "Blackwell (card not stated),\nk = 512, m = 1", \
    "Blackwell (card not stated),\nk = 512, m = 256", "H100 PCIe, float16,\nk = 256, m = 256", \
    "H200, k = 256, m = 64", "H200, k = 256, m = 1024"]
b200 = "gvr_v2_b200 deepselect_b200 sglang_v2_b200 hpc_ops_b200 flashinfer_0_6_14_b200 ". \
    "trtllm_radix_b200"
blackwell = "flashinfer_clusters_blackwell flashinfer_default_blackwell torch_topk_blackwell"
h200 = "recallmodel_h200_f32 torch_topk_h200_f32"
array kernels[8] = [b200, b200, "flashinfer_filtered_a100 flashinfer_multi_cta_a100", blackwell, \
    blackwell, "torch_topk_h100_pcie", h200, h200]
# The names of docs/runs.md (plots/pays_text.py), without the device.
bare = "gvr_v2 deepselect sglang_v2 hpc_ops flashinfer_0_6_14 trtllm_radix flashinfer_filtered \
    flashinfer_multi_cta flashinfer_clusters flashinfer_default torch_topk recallmodel"
names = "gvr_v2 DeepSelect 'SGLang v2' hpc-ops 'FlashInfer 0.6.14' 'TensorRT-LLM radix' \
    'FlashInfer filtered' 'FlashInfer multi-CTA' 'FlashInfer clusters' 'FlashInfer default' \
    torch.topk 'ours, radix'"
begins(name, with) = name[1:strlen(with)] eq with
short(name) = word(names, sum [i=1:words(bare)] (begins(name, word(bare, i)) ? i : 0))
of(p, name, share) = column("panel") == p && strcol("kernel") eq name ? share : NaN
# A kernel has its colour in all panels of a device.
style(p, i) = p == 6 || (p > 6 && i == 2) ? 3 : p > 6 ? 4 : i
do for [p in "1 2 3 7 4 5 6 8"] {
    first = p == 1 || p == 4
    set title title[p+0] font ",10" offset 0,-0.6
    set ylabel (first ? "share of the peak bandwidth" : "") offset 0.5 font ",11"
    if (first) { set yrange [2e-6:0.1]; set ytics ("0.001 %%" 1e-5, "0.01 %%" 1e-4, \
        "0.1 %%" 1e-3, "1 %%" 1e-2, "10 %%" 0.1) } else { set yrange [8e-4:1]; set ytics \
        ("0.1 %%" 1e-3, "1 %%" 1e-2, "10 %%" 0.1, "100 %%" 1) }
    if (p == 3) { set xtics 2**12,4 } else { set xtics 2**10,4 }
    plot for [i=1:words(kernels[p+0])] csv using "n":(of(p+0, word(kernels[p+0], i), \
             column("predicted_share"))) with lines ls style(p+0, i) notitle, \
         for [i=1:words(kernels[p+0])] csv using "n":(of(p+0, word(kernels[p+0], i), \
             column("share"))) with points ls style(p+0, i) \
             title short(word(kernels[p+0], i)) noenhanced
}
unset multiplot
