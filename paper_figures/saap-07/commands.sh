cat plots/saap/07.csv
