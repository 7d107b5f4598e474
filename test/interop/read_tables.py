"""Reads the tables that `elsewise explain` writes, and prints what a reader finds, as JSON.

    python3 read_tables.py csv FILE        Python's csv module: the type of each column by its text
    python3 read_tables.py pandas FILE     pandas.read_csv: the dtype of each column, nullable ones included
    python3 read_tables.py spreadsheet FILE   a flat OpenDocument file that LibreOffice made: the types of the cells
"""

import csv
import json
import re
import sys
from xml.etree import ElementTree

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


OFFICE = "{urn:oasis:names:tc:opendocument:xmlns:office:1.0}"
TABLE = "{urn:oasis:names:tc:opendocument:xmlns:table:1.0}"
TEXT = "{urn:oasis:names:tc:opendocument:xmlns:text:1.0}"


def cells_of(row):
    """The kind and the text of each cell. A repeated cell stands for all its copies."""
    for cell in row.iter(f"{TABLE}table-cell"):
        kind = cell.get(f"{OFFICE}value-type")
        text = cell.get(f"{OFFICE}value") or "".join(part.text or "" for part in cell.iter(f"{TEXT}p"))
        yield from [(kind, text)] * int(cell.get(f"{TABLE}number-columns-repeated", "1"))


def kind_of(cells):
    """A whole column of numbers is one of integers where no cell has a fraction."""
    filled = [(kind, text) for kind, text in cells if kind]
    kinds = {kind for kind, _ in filled}
    if kinds == {"float"}:
        return "integer" if all(float(text).is_integer() for _, text in filled) else "number"
    return {"boolean": "boolean", "string": "text"}.get(kinds.pop(), "mixed") if len(kinds) == 1 else "mixed" if kinds else "empty"


def read_spreadsheet(path):
    rows = [list(cells_of(row)) for row in ElementTree.parse(path).iter(f"{TABLE}table-row")]
    header = [text for _, text in rows[0] if text]
    body = [row for row in rows[1:] if any(kind for kind, _ in row)]
    types = {name: kind_of([row[i] for row in body if i < len(row)]) for i, name in enumerate(header)}
    return {"rows": len(body), "types": types}


if __name__ == "__main__":
    read = {"csv": read_with_csv, "pandas": read_with_pandas, "spreadsheet": read_spreadsheet}[sys.argv[1]]
    print(json.dumps(read(sys.argv[2])))
