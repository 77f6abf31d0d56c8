cat plots/saap/01.csv
