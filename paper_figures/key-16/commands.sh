recallmodel predict --device h100-pcie --n 2^10,2^12,2^14,2^16,2^18,2^20,2^22 --k 1 --kb 1 --b 1 \
    --m 1 --csv
recallmodel predict --device h100-pcie --n 2^10,2^12,2^14,2^16,2^18,2^20,2^22 --k 2 --kb 2 --b 1 \
    --m 1 --csv
recallmodel predict --device h100-pcie --n 2^10,2^12,2^14,2^16,2^18,2^20,2^22 --k 3 --kb 3 --b 1 \
    --m 1 --csv
recallmodel predict --device h100-pcie --n 2^10,2^12,2^14,2^16,2^18,2^20,2^22 --k 4 --kb 4 --b 1 \
    --m 1 --csv
recallmodel predict --device h100-pcie --n 2^10,2^12,2^14,2^16,2^18,2^20,2^22 --k 1 --kb 1 --b 1 \
    --m 256 --csv
recallmodel predict --device h100-pcie --n 2^10,2^12,2^14,2^16,2^18,2^20,2^22 --k 2 --kb 2 --b 1 \
    --m 256 --csv
recallmodel predict --device h100-pcie --n 2^10,2^12,2^14,2^16,2^18,2^20,2^22 --k 3 --kb 3 --b 1 \
    --m 256 --csv
recallmodel predict --device h100-pcie --n 2^10,2^12,2^14,2^16,2^18,2^20,2^22 --k 4 --kb 4 --b 1 \
    --m 256 --csv
