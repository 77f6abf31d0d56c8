recallmodel calibrate "$PAPER_DATA"/h100_pcie_bucketed.csv \
    --exact "$PAPER_DATA"/h100_pcie_torch_topk.csv --name H100-PCIe --cross-validate --csv
