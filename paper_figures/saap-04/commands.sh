cat plots/saap/04.csv
