"""Explanations over HTTP, with the standard library alone: the rows go as one batch, the results come in their order."""

from __future__ import annotations

import json
import urllib.error
import urllib.parse
import urllib.request
import warnings
from typing import Any, Dict, List, Optional


class ExplainError(RuntimeError):
    """What the command or the server refused, in its own words."""


def explain_on_server(
    url: str, token: Optional[str], model: str, policy: Optional[Dict[str, Any]], rows: List[Dict[str, Any]], timeout: float
) -> List[Dict[str, Any]]:
    if not rows:
        return []
    headers = {"Content-Type": "application/x-ndjson"}
    if policy is not None:
        headers["X-Elsewise-Policy"] = json.dumps(policy)
    if token is not None:
        headers["Authorization"] = f"Bearer {token}"
    body = "".join(json.dumps(row, allow_nan=False) + "\n" for row in rows).encode()
    query = urllib.parse.urlencode({"model": model})
    (batch,) = _ask(f"{url.rstrip('/')}/v1/batches?{query}", headers, body, timeout)
    for warning in batch.get("warnings", []):
        warnings.warn(warning, stacklevel=4)
    return _ask(f"{url.rstrip('/')}/v1/batches/{batch['id']}/results", headers, None, timeout)


def _ask(url: str, headers: Dict[str, str], body: Optional[bytes], timeout: float) -> List[Dict[str, Any]]:
    """The documents of the answer, one for each line."""
    sent = headers if body is not None else {key: value for key, value in headers.items() if key == "Authorization"}
    request = urllib.request.Request(url, data=body, headers=sent)
    try:
        with urllib.request.urlopen(request, timeout=timeout) as response:
            return [json.loads(line) for line in response if line.strip()]
    except urllib.error.HTTPError as error:
        raise ExplainError(_told(error.code, error.read().decode(errors="replace"))) from None
    except urllib.error.URLError as error:
        raise ExplainError(f"{url}: {error.reason}") from None


def _told(status: int, text: str) -> str:
    """The reason in the words of the server, which are a problem document (RFC 9457)."""
    try:
        problem = json.loads(text)
        return f"{status}: {problem['detail']}"
    except (ValueError, KeyError, TypeError):
        return f"{status}: {text}"
