cat plots/saap/pair.csv
