cat plots/saap/bytes.csv
