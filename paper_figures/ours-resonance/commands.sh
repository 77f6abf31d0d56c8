cat plots/real-rows/resonance.csv
