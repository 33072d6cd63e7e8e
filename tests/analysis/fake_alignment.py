"""A record of word alignments, written by hand: two layers of two heads, of which head 2.1 aligns best."""

from viz_core.records import AlignmentScore, WordAlignment


def alignment(
    mean: float = 0.28,
    leave_one_out: float = 0.15,
    reads: tuple[float, ...] = (0.85, 0.8, 0.9, 0.88),
    gain: tuple[float, float, float] = (0.07, 0.01, 0.13),
) -> WordAlignment:
    scores = []
    for query, heads, means in (
        ("produces", (0.6, 0.52, 0.41, 0.47), (0.45, 0.3, mean)),
        ("reads", reads, (0.86, 0.84, 0.83)),
    ):
        scores += [score("attention", rate, query, number // 2, number % 2) for number, rate in enumerate(heads)]
        scores += [score("attention", rate, query, layer) for layer, rate in zip((0, 1, None), means, strict=True)]
    scores += [score("leave_one_out", leave_one_out), score("diagonal", 0.5), score("random", 0.84)]
    return WordAlignment(60, 387, 630, tuple(scores), 0.43, gain)


def score(
    method: str, rate: float, query: str = "", layer: int | None = None, head: int | None = None
) -> AlignmentScore:
    """Precision and recall are a little below and above 1 − rate; the interval is 5 points in both directions."""
    low, high = round(rate - 0.05, 2), round(rate + 0.05, 2)
    return AlignmentScore(method, rate, low, high, 0.99 - rate, 1.01 - rate, query, layer, head)
