recallmodel predict --device h100-pcie --n 2^20 --k 1024 --m 1024 --kb 1 --b 65536 --d 128 --csv
recallmodel predict --device h100-pcie --n 2^20 --k 1024 --m 1024 --kb 4 --b 1024 --d 128 --csv
