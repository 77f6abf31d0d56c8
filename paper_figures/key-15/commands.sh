recallmodel predict --device h100-pcie --n 2^10,2^12,2^14,2^16,2^18,2^20,2^22 --k 1,16,256 --kb 1 \
    --b 1024 --m 1 --csv
recallmodel predict --device h100-pcie --n 2^10,2^12,2^14,2^16,2^18,2^20,2^22 --k 1,16,256 --kb 1 \
    --b 1024 --m 256 --csv
