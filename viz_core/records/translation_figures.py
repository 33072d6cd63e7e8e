"""Metrics of a translation on one split."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import get_type_hints

_CLOSE = 0.1  # machines round differently, by which a sentence may get another word


@dataclass(frozen=True)
class TranslationFigures:
    """Named as in `metrics.json`. n: pairs. bleu, chrf: 0 to 100, of greedy translations; beam_: of a beam search of
    width beam. incomplete, beam_incomplete: translations cut off at the length limit. retrieval_: of the baseline that
    answers with the translation of the nearest sentence of train."""

    n: int
    bleu: float
    chrf: float
    incomplete: int
    beam: int
    beam_bleu: float
    beam_chrf: float
    beam_incomplete: int
    retrieval_bleu: float
    retrieval_chrf: float

    @classmethod
    def from_dict(cls, values: Mapping) -> TranslationFigures:
        """Raises ValueError, TypeError or KeyError unless all figures are there and are numbers."""
        kinds = get_type_hints(cls)
        for name, kind in kinds.items():
            if type(values[name]) is not kind:
                raise ValueError(f"{name} is {values[name]!r}: it must be of type {kind.__name__}")
        return cls(**{name: values[name] for name in kinds})

    def to_dict(self) -> dict:
        """As JSON values."""
        return asdict(self)

    def is_close(self, other: TranslationFigures) -> bool:
        """Whether they are the same but for rounding."""
        return (self.n, self.beam) == (other.n, other.beam) and all(
            math.isclose(getattr(self, field.name), getattr(other, field.name), abs_tol=_CLOSE)
            for field in fields(self)
            if field.type == "float"
        )
