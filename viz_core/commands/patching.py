"""The verb `patch`: which parts of a model carry the difference between two inputs."""

import argparse
from typing import Any

import numpy as np

from viz_core.analysis.explain import encode
from viz_core.analysis.patching.estimate import agreement, estimate
from viz_core.analysis.patching.next_word import CROSS, contrast_of, written_before
from viz_core.analysis.patching.patch import patch_all
from viz_core.analysis.patching.paths import trace_paths
from viz_core.checkpoints import Checkpoint
from viz_core.commands.changing import parse_head
from viz_core.language import Translator
from viz_core.models.protocol import reads_source
from viz_core.records import Contrast, Site
from viz_core.tables.patching import paths_table


def patch(checkpoint: Checkpoint, args: argparse.Namespace, say: Translator) -> dict:
    """Put the numbers of a source into the run of a target, part by part.

    The effect is 0 if the run stays like that of the target, and 1 if it becomes like the source's. Of a
    translation, it is about the first word in which both translations differ.
    """
    source, target = encode(checkpoint, args.source, args.source_b), encode(checkpoint, args.text, args.text_b)
    model, found = contrast_of(checkpoint, source, target)
    exact, estimated = patch_all(model, found), estimate(model, found)
    strongest: dict[str, list[dict]] = {
        site: _strongest(found, site, values, args.top) for site, values in exact.effects.items()
    }
    after = {}
    if reads_source(checkpoint.model):
        after["after"] = written_before(model)
        crossing = patch_all(*contrast_of(checkpoint, source, target, CROSS), ["heads"]).effects["heads"]
        strongest[CROSS] = _strongest(found, "heads", crossing, args.top)
    fed = {"paths": _paths(model, found, args)} if args.sender else {}
    return {
        "model": found.model,
        "source": list(source.tokens),
        "target": list(target.tokens),
        **after,
        "labels": list(found.labels),
        "difference": {"source": found.source_difference, "target": found.target_difference},
        "strongest": strongest,
        **fed,
        "agreement": {site: agreement(values, estimated.effects[site]) for site, values in exact.effects.items()},
    }


def _paths(checkpoint: Checkpoint, found: Contrast, args: argparse.Namespace) -> list[dict]:
    """What a head feeds, the largest effects of either sign first."""
    table = paths_table(trace_paths(checkpoint, found, parse_head(args.sender)))
    return table.sort_values("effect", key=abs, ascending=False, kind="stable")[: args.top].to_dict("records")


def _strongest(found: Contrast, site: Site, effects: np.ndarray, top: int) -> list[dict]:
    """The cells with the largest effects of either sign."""
    order = np.argsort(-np.abs(effects), axis=None, kind="stable")[:top]
    places = [divmod(int(number), effects.shape[1]) for number in order]
    return [{**_place(found, site, *place), "effect": float(effects[place])} for place in places]


def _place(found: Contrast, site: Site, row: int, column: int) -> dict[str, Any]:
    if site == "heads":
        return {"head": f"{row + 1}.{column + 1}"}
    position = int(found.pairs[column, 1])
    token = {"token": found.target.tokens[position], "position": position + 1}
    return {"layer": row + 1, **token}
