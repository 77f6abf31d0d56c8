cat plots/saap/06.csv
