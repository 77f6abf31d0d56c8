recallmodel simulate --n 15360 --k 480 --kb 1 \
    --b 512,640,768,1024,1280,1536,1920,2560,3072,3840,5120,7680 --repetitions 1024 --seed 3 --csv
recallmodel simulate --n 15360 --k 480 --kb 2 \
    --b 256,384,512,640,768,1024,1280,1536,1920,2560,3072,3840,5120 --repetitions 1024 --seed 3 \
    --csv
recallmodel simulate --n 15360 --k 480 --kb 3 \
    --b 256,384,512,640,768,1024,1280,1536,1920,2560,3072,3840 --repetitions 1024 --seed 3 --csv
recallmodel simulate --n 15360 --k 480 --kb 4 --b 128,256,384,512,640,768,1024,1280,1536,1920,2560 \
    --repetitions 1024 --seed 3 --csv
recallmodel simulate --n 15360 --k 480 --kb 5 --b 128,256,384,512,640,768,1024,1280,1536,1920 \
    --repetitions 1024 --seed 3 --csv
recallmodel simulate --n 15360 --k 480 --kb 6 --b 128,256,384,512,640,768,1024,1280,1536,1920 \
    --repetitions 1024 --seed 3 --csv
recallmodel simulate --n 15360 --k 480 --kb 8 --b 128,256,384,512,640,768,1024,1280 \
    --repetitions 1024 --seed 3 --csv
