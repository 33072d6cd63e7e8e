"""Owners of runs. A folder names its owner by a hash, so that whoever reads it cannot pose as the owner."""

from __future__ import annotations

import hashlib
import re

_CLEAR = re.compile("[0-9a-f]{32}")  # the cookie of a browser, as folders of earlier versions have it


def owner_hash(identity: str) -> str:
    """The owner that this identity is: the cookie of a browser, or a login."""
    return hashlib.sha256(f"owner of runs: {identity}".encode("utf-8", "surrogatepass")).hexdigest()


def hashed_owner(owner: str) -> str:
    """The owner in a folder, hashed if an earlier version wrote it in clear."""
    return owner_hash(owner) if _CLEAR.fullmatch(owner) else owner


def is_same_owner(first: str, second: str) -> bool:
    """Whether two owners are the same, whichever version wrote them."""
    return hashed_owner(first) == hashed_owner(second)
