recallmodel predict --device h100-pcie --n 2^12 --k 64,256,1024 --kb 1,2,4 \
    --b 16,32,64,128,256,512,1024,2048 --m 1 --csv
recallmodel predict --device h100-pcie --n 2^12 --k 64,256,1024 --kb 1,2,4 \
    --b 16,32,64,128,256,512,1024,2048 --m 256 --csv
recallmodel predict --device h100-pcie --n 2^20 --k 64,2^16,2^18 --kb 1,2,4 \
    --b 16,32,64,128,256,512,2^14,2^15,2^16,2^17,2^18,2^19 --m 1 --csv
recallmodel predict --device h100-pcie --n 2^20 --k 64,2^16,2^18 --kb 1,2,4 \
    --b 16,32,64,128,256,512,2^14,2^15,2^16,2^17,2^18,2^19 --m 256 --csv
