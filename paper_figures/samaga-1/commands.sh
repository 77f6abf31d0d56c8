recallmodel devices --csv
