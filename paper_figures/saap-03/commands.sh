cat plots/saap/03.csv
