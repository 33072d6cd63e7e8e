"""Downloads: the numbers behind the figures, as CSV or npz."""

import io
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

import numpy as np
import pandas as pd

from viz_core.records import (
    AttentionMap,
    Attribution,
    DirectContributions,
    Encoding,
    Explanation,
    Generation,
    HeadImportance,
    HeadSurvey,
    Patching,
    Paths,
    PruneCurve,
    Site,
    Step,
    TokenWeights,
    Translation,
    WordAlignment,
)
from viz_core.records.inside import ClassLens, QueryKeyPlane, TokenLens
from viz_core.tables.csv_rows import escape_formula
from viz_core.tables.patching import patching_table, paths_table


def map_csv(attention: AttentionMap) -> str:
    """A heat map: a line per query and a column per key, both numbered from 1 because tokens repeat.

    The cells of keys that a query cannot attend to are empty. The first cell says what the numbers
    are if they are not weights.
    """
    weights = np.where(attention.unreachable, np.nan, attention.weights)
    frame = pd.DataFrame(weights, index=_number(attention.queries), columns=_number(attention.keys))
    return _csv(frame, "query \\ key" + (" (norm)" if attention.measure == "norms" else ""))


def weights_csv(weights: TokenWeights) -> str:
    """A line per token or word: position (from 1), label, and weight or, if value-weighted, norm."""
    return _token_csv(weights.labels, {"norm" if weights.measure == "norms" else "weight": weights.weights})


def attributions_csv(attributions: Sequence[Attribution]) -> str:
    """A line per token, special tokens included: its position, its label and its value by each method."""
    return _token_csv(attributions[0].labels, {attribution.method: attribution.values for attribution in attributions})


def explanation_npz(explanation: Explanation) -> bytes:
    """All arrays of an explanation, named as in the records, with model, task, texts, tokens and labels.

    With more than two classes the threshold is NaN.
    """
    return _npz(**_explanation_arrays(explanation))


def generation_npz(generation: Generation) -> bytes:
    """All arrays of a text of a language model: those of its explanation, and the steps as in a translation.

    `given` tokens were not written by the model. The first step is that of the second token.
    """
    return _npz(
        **_explanation_arrays(generation.explanation),
        **_step_arrays([step for step in generation.steps if step]),
        given=generation.given,
        complete=generation.complete,
    )


def translation_npz(translation: Translation) -> bytes:
    """All arrays of a translation.

    The three attentions are `attention_<kind>`; source and target start with `source_` and
    `target_`. For each position there are the candidates `(T, N)`, the output, and its rank, 0
    where it has none.
    """
    return _npz(
        model=translation.model,
        task=translation.task,
        complete=translation.complete,
        **{f"attention_{kind}": weights for kind, weights in translation.attention.items()},
        **{f"source_{name}": values for name, values in _encoding_arrays(translation.source).items()},
        **{f"target_{name}": values for name, values in _encoding_arrays(translation.target).items()},
        **_step_arrays(translation.steps),
    )


def _explanation_arrays(explanation: Explanation) -> dict[str, Any]:
    return {
        "model": explanation.model,
        "task": explanation.task,
        "pooling": explanation.pooling,
        "kind": explanation.kind,
        "attention": np.asarray(explanation.attention),
        "probabilities": explanation.probabilities,
        "labels": np.array(explanation.labels),
        "label_ids": np.array(explanation.label_ids, np.int64),
        "threshold": np.nan if explanation.threshold is None else explanation.threshold,
        **_encoding_arrays(explanation.encoding),
    }


def _step_arrays(steps: Sequence[Step]) -> dict[str, np.ndarray]:
    outputs, candidates = [step.output for step in steps], [step.candidates for step in steps]
    return dict(
        candidate_ids=np.array([[candidate.id for candidate in row] for row in candidates]),
        candidate_tokens=np.array([[candidate.token for candidate in row] for row in candidates]),
        candidate_probabilities=np.array([[candidate.probability for candidate in row] for row in candidates]),
        output_ids=np.array([output.id for output in outputs]),
        output_tokens=np.array([output.token for output in outputs]),
        output_probabilities=np.array([output.probability for output in outputs]),
        ranks=np.array([step.rank or 0 for step in steps]),
    )


def _npz(**arrays: Any) -> bytes:
    file = io.BytesIO()
    np.savez_compressed(file, **arrays)
    return file.getvalue()


def _encoding_arrays(encoding: Encoding) -> dict[str, np.ndarray]:
    return {"texts": np.array(encoding.texts), "tokens": np.array(encoding.tokens), **encoding.arrays}


def alignment_csv(alignment: WordAlignment) -> str:
    """A line per method, query, layer and head: error rate with its interval, precision and recall.

    Layers and heads are numbered from 1, and empty for the mean over all.
    """
    frame = pd.DataFrame([asdict(score) for score in alignment.scores])
    for name in ("layer", "head"):
        frame[name] = frame[name].add(1).astype("Int64")
    columns = ["query", "layer", "head", "error_rate", "low", "high", "precision", "recall"]
    return _csv(frame.set_index("method")[columns], "method")


def importance_csv(importance: HeadImportance) -> str:
    """A line per head: change of accuracy and loss without it, with intervals, and its Taylor scores."""
    columns = {
        f"{measure}_{part}": values
        for measure in ("accuracy", "loss")
        for part, values in zip(
            ("change", "low", "high"),
            (getattr(importance, f"{measure}_change"), *np.moveaxis(getattr(importance, f"{measure}_interval"), -1, 0)),
            strict=True,
        )
    }
    columns |= {"taylor": importance.taylor, "taylor_per_layer": importance.taylor_per_layer}
    names = [f"{layer + 1}.{head + 1}" for layer, head in np.ndindex(importance.taylor.shape)]
    return _csv(pd.DataFrame({name: np.ravel(values) for name, values in columns.items()}, index=names), "head")


def survey_csv(survey: HeadSurvey, importance: HeadImportance | None = None) -> str:
    """A line per head: each statistic with its interval and controls, and the change of the loss without it."""
    columns: dict[str, np.ndarray | float] = {}
    for name, statistic in survey.statistics.items():
        low, high = np.moveaxis(statistic.interval, -1, 0)
        columns |= {
            name: statistic.mean,
            f"{name}_low": low,
            f"{name}_high": high,
            f"{name}_uniform": statistic.uniform,
        }
        if statistic.shuffled.size:
            columns[f"{name}_shuffled"] = statistic.shuffled
    if importance is not None:
        columns["loss_change"] = importance.loss_change
    layers, heads = survey.shape
    names = [f"{layer + 1}.{head + 1}" for layer, head in np.ndindex(layers, heads)]
    values = {name: np.broadcast_to(np.ravel(column), len(names)) for name, column in columns.items()}
    return _csv(pd.DataFrame(values, index=names), "head")


def prune_csv(curve: PruneCurve) -> str:
    """A line per number of masked heads: accuracy and loss, by importance and in each random order."""
    columns = {measure: getattr(curve, measure) for measure in ("accuracy", "loss")}
    columns |= {
        f"random_{measure}_{number}": values
        for measure in ("accuracy", "loss")
        for number, values in enumerate(getattr(curve, f"random_{measure}"), 1)
    }
    return _csv(pd.DataFrame(columns, index=curve.masked), "masked")


def lens_csv(lens: ClassLens) -> str:
    """A line per layer, 0 before the first one: the logit and the probability of each class."""
    columns = {
        f"{name}_{label}": values[:, number]
        for name, values in (("logit", lens.logits), ("probability", lens.probabilities))
        for number, label in enumerate(lens.labels)
    }
    return _csv(pd.DataFrame(columns), "layer")


def token_lens_csv(lens: TokenLens) -> str:
    """A line per layer and position: the token read, the likeliest next one, and the one produced.

    The probability and rank are those of the produced token. Layers are numbered from 0, before the
    first one, and positions from 1.
    """
    layers, positions = (part.ravel() for part in np.indices(lens.probabilities.shape))
    columns = {
        "position": positions + lens.start + 1,
        "read": [escape_formula(lens.read[position]) for position in positions],
        "likeliest": [escape_formula(token) for row in lens.likeliest for token in row],
        "output": [escape_formula(lens.outputs[position]) for position in positions],
        "probability": lens.probabilities.ravel(),
        "rank": lens.ranks.ravel(),
    }
    return _csv(pd.DataFrame(columns, index=layers), "layer")


def contributions_csv(contributions: DirectContributions) -> str:
    """A line per head and feed-forward layer, then embedding, biases, and the difference they add up to."""
    heads = {
        f"{layer + 1}.{head + 1}": contributions.heads[layer, head]
        for layer, head in np.ndindex(contributions.heads.shape)
    }
    feedforward = {f"feedforward {layer}": value for layer, value in enumerate(contributions.feedforward, 1)}
    rest = {name: getattr(contributions, name) for name in ("embedding", "biases", "difference")}
    parts = heads | feedforward | rest
    return _csv(pd.DataFrame({"logits": list(parts.values())}, index=list(parts)), "part")


def patching_csv(patching: Patching, site: Site) -> str:
    """A line per layer and a column per head, or per token that both texts have."""
    return _csv(patching_table(patching, site), "layer")


def paths_csv(paths: Paths) -> str:
    """A line per later head and what of it is fed."""
    return _csv(paths_table(paths), "sender")


def plane_csv(plane: QueryKeyPlane) -> str:
    """A line per pair of a query and a key of its text, with all that its figure states.

    Text and positions are numbered from 1. `relative` is the head's dot product less the mean of
    the query; the correlation of this column with the negative of the last but two is the last.
    """
    columns: dict[str, Any] = {}
    for side, points, rows in zip(("query", "key"), (plane.queries, plane.keys), plane.pairs.T, strict=True):
        columns |= {
            f"{side}_position": plane.positions[rows] + 1,
            side: [escape_formula(plane.labels[row]) for row in rows],
            f"{side}_x": points[rows, 0],
            f"{side}_y": points[rows, 1],
        }
    columns |= {
        "product": plane.products,
        "relative": plane.relative_products,
        "squared_distance": plane.distances,
        "c": plane.scale,
        "correlation": plane.correlation,
    }
    return _csv(pd.DataFrame(columns, index=plane.of_text[plane.pairs[:, 0]] + 1), "text")


def _token_csv(labels: Sequence[str], columns: Mapping[str, np.ndarray]) -> str:
    tokens = [escape_formula(label) for label in labels]
    positions = pd.RangeIndex(1, len(tokens) + 1)
    return _csv(pd.DataFrame({"token": tokens, **columns}, index=positions), "position")


def _csv(frame: pd.DataFrame, corner: str) -> str:
    # Line ends as in RFC 4180 on every system; with them, pandas also quotes cells that hold a carriage return.
    return frame.to_csv(index_label=corner, float_format="%.6f", lineterminator="\r\n")


def _number(labels: tuple[str, ...]) -> list[str]:
    # Used where there is no column for the position. The number also keeps spreadsheets from evaluating =1+1.
    return [f"{number} {label}" for number, label in enumerate(labels, 1)]
