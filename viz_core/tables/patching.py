"""Effects of patching as tables."""

import numpy as np
import pandas as pd

from viz_core.records import HEAD_INPUTS, Patching, Paths, Site


def patching_table(patching: Patching, site: Site) -> pd.DataFrame:
    """A row per layer and a column per head, or per token that both texts have, numbered as in the target."""
    effects, contrast = patching.effects[site], patching.contrast
    heads = [str(head + 1) for head in range(effects.shape[1])]
    tokens = [f"{new + 1} {contrast.target.tokens[new]}" for _, new in contrast.positions]
    columns = heads if site == "heads" else tokens
    return pd.DataFrame(effects, index=pd.RangeIndex(1, len(effects) + 1, name="layer"), columns=columns)


def paths_table(paths: Paths) -> pd.DataFrame:
    """A row per later head and what of it is fed."""
    places = np.argwhere(np.isfinite(paths.effects)).tolist()
    sender = f"{paths.sender[0] + 1}.{paths.sender[1] + 1}"
    return pd.DataFrame(
        {
            "head": [f"{layer + 1}.{head + 1}" for _, layer, head in places],
            "input": [HEAD_INPUTS[number] for number, _, _ in places],
            "effect": [paths.effects[tuple(place)] for place in places],
        },
        index=pd.Index([sender] * len(places), name="sender"),
    )
