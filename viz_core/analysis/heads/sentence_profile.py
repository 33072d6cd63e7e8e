"""What the heads of a model do on pairs of sentences, for models that have no corpus here: those from elsewhere.

The statistics are those of profile.py, after Clark et al. 2019, "What Does BERT Look At?", section 3,
https://arxiv.org/abs/1906.04341.
"""

from collections.abc import Mapping, Sequence

import numpy as np

from viz_core.analysis.heads.profile import head_profile, punctuation_ids
from viz_core.checkpoints import Checkpoint
from viz_core.records import Examples, HeadProfile

Pairs = Sequence[tuple[str, str]]
REDUNDANCY_ROWS = 10  # compares all pairs of heads: 10,296 of them in a model of 12 × 12
_TRIED = 20  # pairs by which languages are compared


def sentence_profile(checkpoint: Checkpoint, pairs: Pairs) -> HeadProfile:
    """The statistics of every head over pairs of sentences. Raises Failure for a model without attention."""
    checkpoint.require_attention()
    encodings = [checkpoint.text_encoder.encode(*pair) for pair in pairs]
    special = {int(number) for encoding in encodings for number in encoding.ids[encoding.special]}
    examples = Examples(
        [encoding.ids for encoding in encodings],
        [encoding.segments for encoding in encodings],
        np.zeros(len(encodings), int),
    )
    return head_profile(
        checkpoint.model,
        examples,
        True,
        pair_rows=REDUNDANCY_ROWS,
        special_ids=sorted(special),
        punctuation_ids=punctuation_ids(checkpoint.text_encoder, examples),
    )


def best_read(checkpoint: Checkpoint, pairs: Mapping[str, Pairs]) -> str:
    """The language, of those of the pairs, with the smallest share of unknown tokens; the first of several."""
    return min(pairs, key=lambda language: _unknown_share(checkpoint, pairs[language][:_TRIED]))


def _unknown_share(checkpoint: Checkpoint, pairs: Pairs) -> float:
    return float(np.concatenate([checkpoint.text_encoder.encode(*pair).unknown for pair in pairs]).mean())
