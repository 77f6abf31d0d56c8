cat plots/saap/02.csv
