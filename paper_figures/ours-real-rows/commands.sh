cat plots/real-rows/loss.csv
