"""What was understood of a table: its first rows, its columns, for a person to correct, and what is in them."""

import pandas as pd
import streamlit as st
from babel import Locale
from streamlit.delta_generator import DeltaGenerator

from pages.own_data.table import Upload
from pages.shared.visitor import show_failure, translator
from pages.shared.wording import escape_markdown
from viz_core.datasets.own import Columns, Understanding, guess_columns
from viz_core.records import Failure
from viz_core.rendering.labels import excerpt

_ROWS, _CELL = 10, 200  # that are shown at first; columns of text in a cell
_NONE = ""
_CHOICES = ("text", "text_b", "label", "split", "group")
_OPTIONAL = {"text_b", "split", "group"}
_HEIGHT = 280  # px of the classes; more scroll


def section(upload: Upload) -> Understanding | None:
    """Draws the rows, the pickers and what follows; None after saying why nothing can be trained on them."""
    say, frame = translator(), upload.table.frame
    st.subheader(say("own_data.understood"), anchor="understood")
    rows = st.container()
    try:
        columns = _columns(upload, guess_columns(frame))
    except Failure as failure:
        _draw_rows(rows, frame)
        show_failure(failure)
        return None
    _draw_rows(rows, frame, columns.label, columns.text, columns.text_b)
    for notice in upload.table.notices:
        st.caption(f":material/info: {escape_markdown(say(notice))}")
    with st.spinner(say("own_data.reading")):
        result = upload.understood(columns)
    if isinstance(result, Failure):
        show_failure(result)
        return None
    _summary(result)
    return result


def _draw_rows(place: DeltaGenerator, frame: pd.DataFrame, *first: str) -> None:
    """The first rows; these columns come first, so that a phone shows them."""
    shown = frame.head(_ROWS).map(lambda cell: excerpt(cell, _CELL))
    order = [name for name in dict.fromkeys([*first, *frame]) if name != _NONE]
    place.dataframe(shown, hide_index=True, key="own_rows", column_order=order)


def _columns(upload: Upload, guessed: Columns) -> Columns:
    """The pickers of the columns, with the guess selected at first."""
    say, names = translator(), list(upload.table.frame.columns)
    chosen = {}
    for column, choice in zip(st.columns(len(_CHOICES), gap="small"), _CHOICES, strict=True):
        options = [_NONE, *names] if choice in _OPTIONAL else names
        with column:
            chosen[choice] = st.selectbox(
                say(f"own_data.column_{choice}"),
                options,
                index=options.index(getattr(guessed, choice)),
                key=f"own_column_{choice}_{upload.number}",
                format_func=lambda name: name or say("own_data.no_column"),
                help=say(f"own_data.column_{choice}_help"),
            )
    return Columns(**chosen)


def _summary(result: Understanding) -> None:
    """Rows, lengths, splits and tokens in sentences, the classes in a table; what was left out."""
    say = translator()
    median, most, longest = result.lengths
    facts = [
        say("own_data.rows", read=result.read, usable=len(result.rows)),
        say("own_data.lengths", median=median, most=most, longest=longest),
        say("own_data.splits", **result.split_counts),
        *_languages(result),
        say("own_data.recommended", tokens=say(f"own_data.tokens_{result.tokens}")),
    ]
    words, classes = st.columns([3, 2], gap="large")
    with words:
        st.markdown("\n".join(f"- {fact}" for fact in facts))
        for note in result.notes:
            st.caption(f":material/info: {escape_markdown(say(note))}")
    counts = result.label_counts
    with classes:
        st.dataframe(
            [
                {say("own_data.class"): label, say("own_data.count"): count, say("own_data.share"): count}
                for label, count in counts.items()
            ],
            hide_index=True,
            height=min(38 + 35 * len(counts), _HEIGHT),
            key="own_classes",
            column_config={
                say("own_data.share"): st.column_config.ProgressColumn(
                    format=" ", min_value=0, max_value=len(result.rows)
                )
            },
        )


def _languages(result: Understanding) -> list[str]:
    """The languages with their shares, if there are several; nothing where none is recognised."""
    say = translator()
    names = Locale.parse(say.language).languages
    shares = [
        f"{names.get(code, code)} {share:.0%}" if len(result.languages) > 1 else names.get(code, code)
        for code, share in result.languages.items()
    ]
    return [say("own_data.languages", count=len(shares), languages=shares)] if shares else []
