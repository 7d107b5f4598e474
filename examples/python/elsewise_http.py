"""Explanations over HTTP, with nothing but the standard library: one row, or a file of rows as a batch.

    from elsewise_http import Elsewise
    api = Elsewise("http://127.0.0.1:8080", token="...")
    result = api.explain("credit", {"age": 41, "income": 2100}, policy=policy)
    batch = api.upload("credit", "applicants.csv", policy=policy)
    for result in api.results(batch["id"]):
        print(result["id"], result["status"])

As a program: python elsewise_http.py --help
"""

import argparse
import json
import os
import sys
import time
import urllib.error
import urllib.parse
import urllib.request

CONTENT_TYPES = {".csv": "text/csv", ".tsv": "text/tab-separated-values", ".ndjson": "application/x-ndjson"}


class ElsewiseError(Exception):
    """What the server refused, in its own words."""


class Elsewise:
    def __init__(self, url, token=None, timeout=60.0):
        self.url = url.rstrip("/")
        self.token = token
        self.timeout = timeout

    def explain(self, model, features, policy=None, target=None, row_id=None, wait=30.0):
        """The result for one row. Waits for it, and comes back for it when the server does not wait that long."""
        optional = {"policy": policy, "target": target, "id": row_id}
        body = {"model": model, "features": features, **{k: v for k, v in optional.items() if v is not None}}
        until = time.monotonic() + wait
        query = urllib.parse.urlencode({"waitMs": int(wait * 1000)})
        status, answer = self._json("POST", f"/v1/explanations?{query}", body)
        while status == 202 and time.monotonic() < until:
            time.sleep(0.2)
            status, answer = self._json("GET", answer["location"])
        if status == 202:
            raise TimeoutError(f"no answer to {answer['id']} within {wait} s")
        return answer

    def upload(self, model, path, policy=None, batch=None):
        """Streams a file of rows as a batch. With an id of your own, an upload that broke off can simply be repeated."""
        query = {"model": model, **({"batch": batch} if batch else {})}
        headers = {"Content-Type": CONTENT_TYPES[os.path.splitext(path)[1].lower()]}
        if policy is not None:
            headers["X-Elsewise-Policy"] = json.dumps(policy)
        headers["Content-Length"] = str(os.path.getsize(path))
        with open(path, "rb") as rows:
            with self._open("POST", f"/v1/batches?{urllib.parse.urlencode(query)}", rows, headers) as response:
                return json.load(response)

    def status(self, batch):
        return self._json("GET", f"/v1/batches/{batch}")[1]

    def results(self, batch):
        """One result after the other, in the order of the rows, while they arrive."""
        with self._open("GET", f"/v1/batches/{batch}/results") as response:
            for line in response:
                yield json.loads(line)

    def _json(self, method, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        headers = {} if body is None else {"Content-Type": "application/json"}
        with self._open(method, path, data, headers) as response:
            return response.status, json.load(response)

    def _open(self, method, path, data=None, headers=None):
        request = urllib.request.Request(self.url + path, data=data, method=method, headers=headers or {})
        if self.token:
            request.add_header("Authorization", f"Bearer {self.token}")
        try:
            return urllib.request.urlopen(request, timeout=self.timeout)
        except urllib.error.HTTPError as error:
            raise ElsewiseError(f"{error.code}: {error.read().decode(errors='replace')}") from None


def read_json(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def main():
    parser = argparse.ArgumentParser(description="Explanations over HTTP")
    parser.add_argument("--url", default=os.environ.get("ELSEWISE_URL", "http://127.0.0.1:8080"))
    parser.add_argument("--token", default=os.environ.get("ELSEWISE_TOKEN"))
    parser.add_argument("--model", required=True, help="name@version")
    parser.add_argument("--policy", type=read_json, help="a policy document")
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--row", type=json.loads, help="the features of one row, as JSON")
    what.add_argument("--input", help="a file of rows: .csv, .tsv or .ndjson")
    options = parser.parse_args()
    api = Elsewise(options.url, options.token)
    try:
        if options.row is not None:
            print(json.dumps(api.explain(options.model, options.row, policy=options.policy)))
            return
        batch = api.upload(options.model, options.input, policy=options.policy)
        print(f"{batch['rows']} rows in batch {batch['id']}", file=sys.stderr)
        for result in api.results(batch["id"]):
            print(json.dumps(result))
        counts = api.status(batch["id"])["counts"]
        print(", ".join(f"{name}: {count}" for name, count in counts.items()), file=sys.stderr)
    except (ElsewiseError, TimeoutError) as error:
        sys.exit(str(error))


if __name__ == "__main__":
    main()
