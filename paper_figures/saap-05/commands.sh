cat plots/saap/05.csv
