"""Comparison of all models of a task as two tables of text, for a page and, in Markdown, for a document."""

from collections.abc import Sequence

from viz_core.language import Translator
from viz_core.records.comparison import ComparedModel

MISSING = "–"
Row = dict[str, str]  # cells by the heading of their column


def figures_table(rows: Sequence[ComparedModel], say: Translator) -> list[Row]:
    """Kind, cost and test metrics of each model."""
    return [
        {
            say("comparison.column_model"): row.model,
            say("comparison.column_kind"): _kind(row, say),
            say("comparison.column_attention"): say(f"comparison.attention_{'yes' if row.attention else 'no'}"),
            say("comparison.column_learns"): _sources(row, say),
            say("comparison.column_parameters"): MISSING if row.parameters is None else f"{row.parameters:,}",
            say("comparison.column_minutes"): _trainings(row, say),
            say("comparison.column_accuracy"): _accuracy(row, say),
            say(f"comparison.column_{measure(row)}"): _number(getattr(row if several(row) else row.test, measure(row))),
            say("comparison.column_ece"): MISSING if row.test.ece is None else f"{row.test.ece:.1%}",
            say("comparison.column_latency"): MISSING
            if row.latency is None
            else say("comparison.times", times=row.latency),
            say("comparison.column_seeds"): _seeds(row, say),
        }
        for row in rows
    ]


def slices_table(rows: Sequence[ComparedModel], say: Translator) -> list[Row]:
    """Accuracy by length and by category of behavioural tests.

    Length counts the tokens of the model, words or characters: accuracies by length are shown only
    for models with the same length ranges as the first.
    """
    first = [(part.begin, part.end) for part in rows[0].lengths] if rows else []
    table = []
    for row in rows:
        alike = [(part.begin, part.end) for part in row.lengths] == first
        accuracies = [
            f"{part.accuracy:.1%}" if alike else MISSING for part in (row.lengths if alike else rows[0].lengths)
        ]
        headings = [_length(begin, end, say) for begin, end in first]
        table.append(
            {
                say("comparison.column_model"): row.model,
                **dict(zip(headings, accuracies, strict=True)),
                **{
                    say(f"behaviour.category_{score.category}"): f"{score.accuracy * score.n:.0f}/{score.n}"
                    for score in row.categories
                },
            }
        )
    return table


def _length(begin: float, end: float | None, say: Translator) -> str:
    key = "comparison.column_length" if begin != end else "comparison.column_length_one"
    return say(key, begin=f"{begin:.0f}", end=f"{end:.0f}")


def markdown(table: Sequence[Row]) -> str:
    """The table in Markdown, with a column for each heading of any row."""
    headings = list(dict.fromkeys(heading for row in table for heading in row))
    lines = [headings, ["---"] * len(headings), *([row.get(heading, MISSING) for heading in headings] for row in table)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def several(row: ComparedModel) -> bool:
    """Whether the task has more than two classes."""
    return len(row.test.f1 or ()) > 2


def measure(row: ComparedModel) -> str:
    """Metric shown with the accuracy: `macro_f1` with more than two classes, else `auc`."""
    return "macro_f1" if several(row) else "auc"


def _kind(row: ComparedModel, say: Translator) -> str:
    return say(f"comparison.kind_{row.kind}") if row.kind in _KINDS else row.kind


_KINDS = ("encoder", "recurrent", "bag", "tfidf")  # those that have a name in the catalogues


def _sources(row: ComparedModel, say: Translator) -> str:
    """What the model learned from, in words."""
    sources = [say(f"comparison.learned_{name}") for name in row.besides]
    return say("comparison.labels_besides", besides=sources) if sources else say("comparison.labels_alone")


def _trainings(row: ComparedModel, say: Translator) -> str:
    """The time of the training; of several their total and each."""
    parts = [
        say("comparison.on_gpu", duration=_duration(part.minutes, say)) if part.on_gpu else _duration(part.minutes, say)
        for part in row.trainings
    ]
    if len(parts) < 2:
        return parts[0] if parts else MISSING
    total = sum(part.minutes for part in row.trainings)
    return say("comparison.trainings", total=_duration(total, say), parts=" + ".join(parts))


def _duration(minutes: float, say: Translator) -> str:
    return (
        say("comparison.minutes", minutes=minutes) if minutes >= 2 else say("comparison.seconds", seconds=60 * minutes)
    )


def _accuracy(row: ComparedModel, say: Translator) -> str:
    low, high = row.interval
    return say("comparison.interval", value=row.test.accuracy, low=low, high=high)


def _number(value: float | None) -> str:
    return MISSING if value is None else f"{value:.3f}"


def _seeds(row: ComparedModel, say: Translator) -> str:
    seeds = row.seeds
    if len(seeds.values) < 2:
        return say("comparison.seeds_one")
    return say("comparison.seeds_many", mean=seeds.mean, spread=100 * seeds.spread, seeds=len(seeds.values))
