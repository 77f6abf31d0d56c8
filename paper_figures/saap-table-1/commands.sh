cat plots/saap/table-1.csv
