recallmodel calibrate runs/keyetal/two-stage.csv \
    --exact runs/keyetal/exact.csv --name H100-PCIe --cross-validate --csv
