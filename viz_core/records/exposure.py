"""What generation and training cost for the same translation."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Exposure:
    """passes: forward passes of the decoder, one after another, in which the translation was generated; 0 for a
    reference, which is only read. seconds: of all of them. forced_seconds: of a single pass over all positions, as in
    training by teacher forcing."""

    passes: int
    seconds: float
    forced_seconds: float
