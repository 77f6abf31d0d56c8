cat plots/before-rope/figure.csv
