"""Table of predictions: texts, true and predicted label, confidence, correct or wrong, and buttons."""

from collections.abc import Sequence

from viz_core.language import Translator
from viz_core.records import PredictedRows
from viz_core.rendering.labels import excerpt, printable
from viz_core.rendering.markup import root, safe
from viz_core.rendering.probabilities import percent
from viz_core.rendering.theme import Theme

MAX_COLUMNS = 360  # a longer text is truncated; a click opens all of it

_CSS = """
&{max-height:640px;overflow:auto;border:1px solid var(--am-line);border-radius:6px}
& table{border-collapse:collapse;width:100%;font-size:var(--am-text);margin:0}
& th{position:sticky;top:0;background:var(--am-surface);color:var(--am-muted);font-weight:600;font-size:var(--am-small)}
& th,& td{padding:.4em .7em;text-align:left;border:0;border-bottom:1px solid var(--am-line);vertical-align:top}
& tr[data-row]{cursor:pointer} & tr[data-row]:hover td{background:var(--am-surface)}
& .number{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}
& th{white-space:nowrap} & th::first-letter{text-transform:uppercase}
& td.index{color:var(--am-muted);font-size:var(--am-small)} & .typed{overflow-wrap:anywhere;min-width:7em;width:50%}
& .whole{width:100%;min-width:16em} & .label{min-width:4.2em} & .correct{color:var(--am-muted);white-space:nowrap}
& .wrong{white-space:nowrap;font-weight:700}
& .a{color:var(--am-a)} & .b{color:var(--am-b)} & .acts{white-space:nowrap;text-align:right}
& button{font:inherit;font-size:var(--am-small);color:var(--am-ink);background:transparent;cursor:pointer}
& button{border:1px solid var(--am-line);border-radius:6px;padding:.1em .6em;margin:0 0 .2em .3em;white-space:nowrap}
& button:hover,& button:focus-visible{border-color:var(--am-accent);color:var(--am-accent)}
"""


def prediction_table(
    rows: PredictedRows, say: Translator, theme: Theme, actions: Sequence[str] = (), file: str = ""
) -> str:
    """Scrolling HTML table; rows carry their index as `data-row`, buttons their action as `data-act`.

    The columns for the true label and for correct or wrong are omitted if no row is labelled.

    Args:
        actions: Any of `open`, `compare`; a click on a row performs the first.
        file: File that the rows are from, if a page has several tables.

    Raises:
        ValueError: If the arrays do not match.
    """
    if not len(rows.texts) == len(rows.labels) == len(rows.predictions) == len(rows.confidence) == len(rows):
        raise ValueError(
            f"{len(rows)} rows, against {len(rows.texts)} texts, {len(rows.labels)} labels, "
            f"{len(rows.predictions)} predictions, {len(rows.confidence)} confidences: each row needs one of each"
        )
    labelled, pair = bool((rows.labels >= 0).any()), bool(len(rows)) and len(rows.texts[0]) > 1
    columns = [
        ("number", "rows_number"),
        *([("a", "sentence_a"), ("b", "sentence_b")] if pair else [("", "rows_text")]),
        *([("", "rows_truth")] if labelled else []),
        ("", "rows_prediction"),
        ("number", "rows_confidence"),
        *([("", "rows_outcome")] if labelled else []),
    ]
    head = "".join(f'<th class="{kind}" scope="col">{safe(say(f"rendering.{name}"))}</th>' for kind, name in columns)
    body = "".join(_row(rows, index, labelled, say, actions, file) for index in range(len(rows)))
    style = f"<style>.am-predictions{{--am-accent:{theme.accent}}}</style>"
    acts = f'<th scope="col">{safe(say("rendering.rows_acts"))}</th>' if actions else ""
    table = f"<table><thead><tr>{head}{acts}</tr></thead><tbody>{body}</tbody></table>"
    return root("am-predictions", _CSS, style + table, theme, scrolls=say("rendering.rows_table"))


def _row(rows: PredictedRows, index: int, labelled: bool, say: Translator, actions: Sequence[str], file: str) -> str:
    names = [safe(say(f"rendering.label_{label}")) for label in rows.classes]
    label, prediction = int(rows.labels[index]), int(rows.predictions[index])
    kind = "typed" if len(rows.texts[index]) > 1 else "typed whole"
    number = f"{int(rows.numbers[index]):,}"
    cells = [
        ("number index", number),
        *((kind, safe(printable(excerpt(text, MAX_COLUMNS)))) for text in rows.texts[index]),
    ]
    if labelled:
        cells.append(("label", names[label] if label >= 0 else "–"))
    cells += [("label", names[prediction]), ("number", safe(percent(float(rows.confidence[index]))))]
    if labelled:
        outcome = "correct" if label == prediction else "wrong"
        mark = {"correct": "✓", "wrong": "✗"}[outcome]
        cells.append((outcome, f"{mark} {safe(say(f'rendering.rows_{outcome}'))}") if label >= 0 else ("", "–"))
    row_name = safe(" · ".join(filter(None, (file, f"{say('rendering.rows_number')} {number}"))))
    acts = "".join(
        f'<button type="button" data-act="{act}" aria-label="{name} · {row_name}">{name}</button>'
        for act, name in ((act, safe(say(f"rendering.rows_{act}"))) for act in actions)
    )
    row = "".join(f'<td class="{kind}">{cell}</td>' for kind, cell in cells)
    return (
        (f'<tr data-row="{index}" data-act="{actions[0]}">' if actions else "<tr>")
        + row
        + (f'<td class="acts">{acts}</td>' if actions else "")
        + "</tr>"
    )
