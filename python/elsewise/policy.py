"""Policies, written step by step. The document is checked where it is used: by the command or by the server."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any, Dict, Optional, Union

SCHEMA = "elsewise.policy/v1"
CHANGES = ("never", "increase", "decrease", "any")

# A text may contain the signs of a comment.
TOKENS = re.compile(r'"(?:[^"\\]|\\.)*"|//[^\n\r]*|/\*[\s\S]*?\*/')
STRINGS_AND_LAST_COMMAS = re.compile(r'"(?:[^"\\]|\\.)*"|,(?=\s*[\]}])')


def without_comments(text: str) -> str:
    """JSON without comments and last commas. Removed characters become spaces: positions in messages stay those of the file."""
    plain = TOKENS.sub(lambda token: token[0] if token[0][0] == '"' else re.sub(r"[^\n\r]", " ", token[0]), text)
    return STRINGS_AND_LAST_COMMAS.sub(lambda token: " " if token[0] == "," else token[0], plain)


class Policy:
    """Who may be asked to change what, at what cost. Each method changes the policy and gives it back."""

    def __init__(self, target: Any = None, *, name: Optional[str] = None, **keys: Any):
        """target: a class, a list of classes, or {"from": number}. Other keys go into the document as they are."""
        given = {"name": name, "target": target, **keys}
        self.document: Dict[str, Any] = {"schema": SCHEMA, **{key: value for key, value in given.items() if value is not None}}

    @classmethod
    def load(cls, path: Any) -> Policy:
        """Reads a policy file, which may have comments, as `policies init` writes them."""
        text = Path(path).read_text("utf-8")
        try:
            return cls.of(json.loads(without_comments(text)))
        except json.JSONDecodeError as error:
            raise ValueError(f"{path}: not valid JSON: {error}") from None

    @classmethod
    def of(cls, document: Dict[str, Any]) -> Policy:
        policy = cls()
        policy.document.update(json.loads(json.dumps(document)))
        return policy

    def feature(self, feature: str, **rules: Any) -> Policy:
        """Rules of one feature: change, min, max, maxIncrease, maxDecrease, step, allow."""
        if rules.get("change", "any") not in CHANGES:
            raise ValueError(f"features.{feature}.change: {rules['change']!r}; choose from {', '.join(CHANGES)}")
        self.document.setdefault("features", {}).setdefault(feature, {}).update(rules)
        return self

    def never(self, *features: str) -> Policy:
        """These features stay as they are."""
        for feature in features:
            self.feature(feature, change="never")
        return self

    def increase(self, feature: str, **rules: Any) -> Policy:
        return self.feature(feature, change="increase", **rules)

    def decrease(self, feature: str, **rules: Any) -> Policy:
        return self.feature(feature, change="decrease", **rules)

    def allow(self, feature: str, *categories: str) -> Policy:
        """The categories that may be recommended."""
        return self.feature(feature, allow=list(categories))

    def constraint(self, *texts: str) -> Policy:
        """Conditions that an answer must keep, such as "debt <= 0.5 * income"."""
        self.document.setdefault("constraints", []).extend(texts)
        return self

    def cost(self, norm: str = "l1", weights: Union[str, Dict[str, float], None] = None) -> Policy:
        self.document["cost"] = {"norm": norm, **({} if weights is None else {"weights": weights})}
        return self

    def save(self, path: Any) -> None:
        with open(path, "w", encoding="utf-8") as file:
            json.dump(self.document, file, indent=2, allow_nan=False)
            file.write("\n")
