cat plots/saap/08.csv
