"""A scorer for elsewise in Python's standard library. POST /score takes rows by feature and answers with probabilities."""
import json
import math
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

VERSION = "1"


def probability(row):
    """Of approval. Put your own model here."""
    housing = {"own": 0.8, "rent": -0.2, "free": 0.1}[row["housing"]]
    score = 0.02 * row["age"] + 0.001 * row["income"] - 0.002 * row["debt"] + housing - 2.5
    return 1 / (1 + math.exp(-score))


class Scorer(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"  # connections stay open

    def do_POST(self):
        request = json.loads(self.rfile.read(int(self.headers["content-length"])))
        rows = [dict(zip(request["columns"], values)) for values in request["rows"]]
        scores = [[1 - p, p] for p in map(probability, rows)]
        answer = {"schema": "elsewise.score-response/v1", "version": VERSION, "scores": scores}
        body = json.dumps(answer).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *arguments):
        """Rows are about people: nothing is logged."""


if __name__ == "__main__":
    server = ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1]) if len(sys.argv) > 1 else 8000), Scorer)
    print(f"scoring on http://127.0.0.1:{server.server_address[1]}/score", flush=True)
    server.serve_forever()
