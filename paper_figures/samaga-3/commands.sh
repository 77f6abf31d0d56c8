recallmodel select --n 2^8 --k 1,3,5,13,26,64 --kb-max 4 --recall 0.99 --align 128 --divisors --csv
recallmodel select --n 2^9 --k 1,3,5,10,26,51,128 --kb-max 4 --recall 0.99 --align 128 --divisors \
    --csv
recallmodel select --n 2^10 --k 1,5,10,20,51,102,256 --kb-max 4 --recall 0.99 --align 128 \
    --divisors --csv
recallmodel select --n 2^11 --k 1,2,10,20,41,102,205,512 --kb-max 4 --recall 0.99 --align 128 \
    --divisors --csv
recallmodel select --n 2^12 --k 2,4,20,41,82,205,410,1024 --kb-max 4 --recall 0.99 --align 128 \
    --divisors --csv
recallmodel select --n 2^13 --k 1,4,8,41,82,164,410,819,2048 --kb-max 4 --recall 0.99 --align 128 \
    --divisors --csv
recallmodel select --n 2^14 --k 2,8,16,82,164,328,819,1638,4096 --kb-max 4 --recall 0.99 \
    --align 128 --divisors --csv
recallmodel select --n 2^15 --k 3,16,33,164,328,655,1638,3277,8192 --kb-max 4 --recall 0.99 \
    --align 128 --divisors --csv
recallmodel select --n 2^16 --k 7,33,66,328,655,1311,3277,6554,16384 --kb-max 4 --recall 0.99 \
    --align 128 --divisors --csv
recallmodel select --n 2^17 --k 13,66,131,655,1311,2621,6554,13107,32768 --kb-max 4 --recall 0.99 \
    --align 128 --divisors --csv
recallmodel select --n 2^18 --k 26,131,262,1311,2621,5243,13107,26214,65536 --kb-max 4 \
    --recall 0.99 --align 128 --divisors --csv
recallmodel select --n 2^19 --k 52,262,524,2621,5243,10486,26214,52429,131072 --kb-max 4 \
    --recall 0.99 --align 128 --divisors --csv
recallmodel select --n 2^20 --k 105,524,1049,5243,10486,20972,52429,104858,262144 --kb-max 4 \
    --recall 0.99 --align 128 --divisors --csv
recallmodel select --n 2^21 --k 210,1049,2097,10486,20972,41943,104858,209715,524288 --kb-max 4 \
    --recall 0.99 --align 128 --divisors --csv
recallmodel select --n 2^22 --k 419,2097,4194,20972,41943,83886,209715,419430,1048576 --kb-max 4 \
    --recall 0.99 --align 128 --divisors --csv
recallmodel select --n 2^23 --k 839,4194,8389,41943,83886,167772,419430,838861,2097152 --kb-max 4 \
    --recall 0.99 --align 128 --divisors --csv
recallmodel select --n 2^24 --k 1678,8389,16777,83886,167772,335544,838861,1677722,4194304 \
    --kb-max 4 --recall 0.99 --align 128 --divisors --csv
recallmodel select --n 2^25 --k 3355,16777,33554,167772,335544,671089,1677722,3355443,8388608 \
    --kb-max 4 --recall 0.99 --align 128 --divisors --csv
recallmodel select --n 2^26 --k 6711,33554,67109,335544,671089,1342177,3355443,6710886,16777216 \
    --kb-max 4 --recall 0.99 --align 128 --divisors --csv
recallmodel select --n 2^27 \
    --k 13422,67109,134218,671089,1342177,2684355,6710886,13421773,33554432 --kb-max 4 \
    --recall 0.99 --align 128 --divisors --csv
recallmodel select --n 2^28 \
    --k 26844,134218,268435,1342177,2684355,5368709,13421773,26843546,67108864 --kb-max 4 \
    --recall 0.99 --align 128 --divisors --csv
recallmodel select --n 2^29 \
    --k 53687,268435,536871,2684355,5368709,10737418,26843546,53687091,134217728 --kb-max 4 \
    --recall 0.99 --align 128 --divisors --csv
recallmodel select --n 2^30 \
    --k 107374,536871,1073742,5368709,10737418,21474836,53687091,107374182,268435456 --kb-max 4 \
    --recall 0.99 --align 128 --divisors --csv
recallmodel select --n 2^31 \
    --k 214748,1073742,2147484,10737418,21474836,42949673,107374182,214748365,536870912 --kb-max 4 \
    --recall 0.99 --align 128 --divisors --csv
recallmodel select --n 2^32 \
    --k 429497,2147484,4294967,21474836,42949673,85899346,214748365,429496730,1073741824 \
    --kb-max 4 --recall 0.99 --align 128 --divisors --csv
