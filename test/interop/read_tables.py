"""Reads the tables that `elsewise explain` writes, and prints what a reader finds, as JSON.

    python3 read_tables.py csv FILE        Python's csv module: the type of each column by its text
    python3 read_tables.py pandas FILE     pandas.read_csv: the dtype of each column, nullable ones included
"""

import csv
import json
import re
import sys

INTEGER = re.compile(r"-?\d+$")


def type_of(texts):
    filled = [text for text in texts if text != ""]
    if filled and all(INTEGER.match(text) for text in filled):
        return "integer"
    try:
        return "number" if [float(text) for text in filled] else "empty"
    except ValueError:
        return "boolean" if set(filled) <= {"true", "false"} else "text"


def read_with_csv(path):
    with open(path, newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file, strict=True))
    return {"rows": len(rows), "types": {name: type_of([row[name] for row in rows]) for name in rows[0]}, "first": rows[0]}


def read_with_pandas(path):
    import pandas

    frame = pandas.read_csv(path).convert_dtypes()
    names = {"Int64": "integer", "Float64": "number", "boolean": "boolean", "string": "text", "str": "text"}
    types = {name: names.get(str(dtype), str(dtype)) for name, dtype in frame.dtypes.items()}
    return {"rows": len(frame), "types": types}


if __name__ == "__main__":
    read = {"csv": read_with_csv, "pandas": read_with_pandas}[sys.argv[1]]
    print(json.dumps(read(sys.argv[2])))
