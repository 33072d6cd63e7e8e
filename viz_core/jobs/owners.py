"""Owners of runs. A folder names its owner by a hash, so that whoever reads it cannot pose as the owner."""

import hashlib


def owner_hash(identity: str) -> str:
    """The owner that this identity is: the cookie of a browser, or a login."""
    return hashlib.sha256(f"owner of runs: {identity}".encode("utf-8", "surrogatepass")).hexdigest()
