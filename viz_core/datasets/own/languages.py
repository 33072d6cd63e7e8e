"""Which languages the texts of a table are written in."""

from collections import Counter
from collections.abc import Sequence
from functools import lru_cache

import numpy as np

MOST_TEXTS, MOST_CHARACTERS = 1_000, 300  # that are looked at, of a table and of a text
LEAST_SHARE = 0.02  # of the recognised texts; below, it is a mistake as often as a language
_SURE = 0.5  # a probability below which a text counts as unknown: “ok” is every language
_UNKNOWN = {"und", "zxx"}  # undetermined; no language, such as a number or an address of the web
_MACRO = {"yue": "zh", "wuu": "zh", "nn": "no"}  # written like the larger one, and mistaken for it in a short text


def find_languages(texts: Sequence[str]) -> dict[str, float]:
    """Return the languages of texts as ISO 639 codes with their shares, the most frequent first.

    Recognised by n-grams of bytes and naive Bayes (Lui and Baldwin 2012, “langid.py”), in the
    implementation and with the model of py3langid. Shares are of the texts that are recognised; a
    text of a word or two often is not.
    """
    if len(texts) == 0:
        return {}
    identify = _identifier().classify
    chosen = [texts[place][:MOST_CHARACTERS] for place in _spread(len(texts))]
    found = Counter(_MACRO.get(code, code) for code, _ in map(identify, chosen) if code not in _UNKNOWN)
    if not found:  # all of them together may say more
        code, _ = identify("\n".join(chosen))
        return {} if code in _UNKNOWN else {_MACRO.get(code, code): 1.0}
    total = found.total()
    return {code: count / total for code, count in found.most_common() if count / total >= LEAST_SHARE}


def _spread(count: int) -> np.ndarray:
    """Places of the texts to look at, from all parts of the table: many are sorted."""
    return np.unique(np.linspace(0, count - 1, min(count, MOST_TEXTS)).astype(int))


@lru_cache(maxsize=1)
def _identifier():
    from py3langid.langid import MODEL_FILE, LanguageIdentifier  # half a second, and 90 MB

    return LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True, min_confidence=_SURE)
