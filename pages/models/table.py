"""All available models with their figures on the test, a row each; and those of one task compared."""

import streamlit as st

from pages.shared import downloads, own_verdict
from pages.shared.own_tasks import title, visible_tasks
from pages.shared.pickers import describe_size
from pages.shared.visitor import page_theme, translator
from pages.shared.wording import escape_markdown, join_sentences
from viz_core import checkpoints
from viz_core.analysis.verdicts.comparison import comparison_verdict, curves_verdict
from viz_core.checkpoints.further import COMMAND, further_models
from viz_core.evidence.comparison import compare_models, right_answers
from viz_core.evidence.learning_curves import read_curves
from viz_core.rendering.comparison import figures_table, measure, slices_table
from viz_core.rendering.learning_curves import learning_curves
from viz_core.tasks.own import is_own_name

# Figures of the models table: factor and number format. Streamlit's "percent" format would drop the zeros of 62.00%.
COLUMNS = {
    "accuracy": (100, "%.2f%%"),
    "majority_accuracy": (100, "%.2f%%"),
    "auc": (1, "%.3f"),
    "mcc": (1, "%.3f"),
    "threshold": (100, "%.2f%%"),
    "bleu": (1, "%.1f"),
    "chrf": (1, "%.1f"),
    "perplexity": (1, "%.1f"),
}

EXPLAINED = ("majority_accuracy", "auc", "mcc")  # at the pointer

WIDTHS = {"model": 181, "size": 196, "remark": 130}  # px; measured by Streamlit, they are too narrow for the longest


def models_table() -> None:
    """Every available checkpoint with its test figures; unusable checkpoints are named below."""
    say = translator()
    models, broken = checkpoints.list_checkpoints(tasks=visible_tasks())
    rows = [
        {
            say("pages.column_model"): f"{title(info.task)} / {info.name}",
            say("pages.column_size"): describe_size(info),
            say("pages.column_parameters"): info.metrics.parameters,
            **{
                say(f"pages.column_{name}"): None if name not in numbers else numbers[name] * factor
                for name, (factor, _) in COLUMNS.items()
            },
            say("pages.column_remark"): say("pages.bad_example") if info.settings.caution else "",
        }
        for info in sorted(models, key=lambda info: bool(info.settings.caution))
        for numbers in [info.metrics.numbers("test")]
    ]
    st.header(say("pages.models"), anchor="table")
    st.dataframe(
        rows,
        hide_index=True,
        height="content",  # a table that scrolls is one more stop of the tab key, without a visible focus
        placeholder="–",
        column_config={
            say("pages.column_parameters"): st.column_config.NumberColumn(format="compact"),
            **{
                say(f"pages.column_{name}"): st.column_config.NumberColumn(
                    format=digits, help=say(f"evaluation.meaning_{name}") if name in EXPLAINED else None
                )
                for name, (_, digits) in COLUMNS.items()
            },
            **{say(f"pages.column_{name}"): st.column_config.TextColumn(width=px) for name, px in WIDTHS.items()},
        },
    )
    for failure in broken:
        st.warning(escape_markdown(say(failure.message)), icon=":material/broken_image:")
    if absent := [model for model in further_models().values() if not checkpoints.find_folder(model.task, model.name)]:
        st.caption(say("pages.models_absent", count=len(absent), command=f"`{COMMAND}`"))
    st.caption(say("pages.models_note"))


def comparison(task: str) -> None:
    """The tables and the sentences that follow from them; of a task of one's own the verdict on it."""
    say, rows = translator(), compare_models(task)
    st.header(say("comparison.title"), anchor="comparison")
    if not rows and is_own_name(task):
        own_verdict.show_or_say_why(task)
        return
    if not rows:
        st.caption(say("comparison.nothing"))
        return
    with st.container(key="comparison"):
        st.table(figures_table(rows, say), hide_index=True, border="horizontal")
    named = say(f"comparison.measure_{measure(rows[0])}")
    st.caption(say("comparison.note", measure=named, first=f"`{rows[0].model}`"))
    curves = read_curves(task)
    if sentences := list(map(say, (*comparison_verdict(rows, right_answers(task)), *curves_verdict(curves)))):
        st.markdown("\n".join(f"- {sentence}" for sentence in sentences))
    for name, of_model in curves.items():
        alt = join_sentences(list(map(say, curves_verdict({name: of_model}))), say)
        downloads.show(learning_curves(name, of_model, say, page_theme()), f"learning_curves_{name}", alt=alt)
    st.table(slices_table(rows, say), hide_index=True, border="horizontal")
    st.caption(join_sentences([say("comparison.slices_note"), say("comparison.command")], say))
