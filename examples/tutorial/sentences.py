"""Reads answers.csv and prints a sentence for each person: python3 sentences.py answers.csv"""

import csv
import sys

for row in csv.DictReader(open(sys.argv[1], newline="", encoding="utf-8-sig")):
    if row["status"] == "already":
        continue
    if row["changes"]:
        print(f"{row['id']}: rejected. The application would have been {row['newPrediction']} with {row['changes']}.")
    else:
        print(f"{row['id']}: rejected. No allowed change is known that leads to an approval: {row['reason']}.")
