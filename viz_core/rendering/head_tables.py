"""Tables of one head of a survey: its statistics beside their controls, and the token pairs that it joins."""

from collections.abc import Callable

import numpy as np
import pandas as pd

from viz_core.language import Translator
from viz_core.records import HeadSurvey, TokenPair


def statistics_table(survey: HeadSurvey, layer: int, head: int, say: Translator) -> pd.DataFrame:
    """A row per statistic: mean with interval, controls, and the rank among all heads."""
    rows = []
    for name, statistic in survey.statistics.items():
        value = float(statistic.mean[layer, head])
        low, high = (write_value(name, bound) for bound in statistic.interval[layer, head])
        shuffled = write_value(name, float(statistic.shuffled[layer, head])) if statistic.shuffled.size else "–"
        rank = int((np.asarray(statistic.mean) > value).sum()) + 1
        rows.append(
            {
                say("heads.column_statistic"): say(f"health.statistic_{name}"),
                say("heads.column_mean"): write_value(name, value),
                say("heads.column_interval"): f"{low}–{high}",
                say("health.uniform"): write_value(name, statistic.uniform),
                say("heads.column_shuffled"): shuffled,
                say("heads.column_rank"): say("heads.rank", rank=rank, heads=statistic.mean.size),
                say("heads.column_inputs"): f"{statistic.inputs:,}",
            }
        )
    return pd.DataFrame(rows)


def write_value(name: str, value: float) -> str:
    """A value of a statistic as people read it: tokens, or a share in percent."""
    return f"{value:.1f}" if name == "distance" else f"{value:.0%}"


def pairs_table(pairs: tuple[TokenPair, ...], token: Callable[[int], str], say: Translator) -> pd.DataFrame:
    """A row per pair of tokens: how often, and how many times as often as at random.

    Args:
        token: Text of a token id.
    """
    return pd.DataFrame(
        [
            {
                say("heads.column_query"): token(pair.query),
                say("heads.column_key"): token(pair.key),
                say("heads.column_count"): f"{pair.count:,}",
                say("heads.column_lift"): f"{pair.lift:.1f} ×",
            }
            for pair in pairs
        ]
    )
