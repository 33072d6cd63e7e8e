"""A language model: how well it predicts texts, beside the baseline, and its heads."""

import streamlit as st

from pages.models import heads
from pages.models.card import card_section
from pages.shared.visitor import translator
from pages.shared.wording import escape_markdown
from viz_core.analysis.verdicts.language import beats_ngrams, language_verdict
from viz_core.checkpoints import CheckpointInfo

_SPLITS = ("validation", "test")
# Columns of the table of figures, with their formats.
_COLUMNS = {
    "perplexity": "%.1f",
    "kneser_ney_perplexity": "%.1f",
    "bits_per_character": "%.3f",
    "token_accuracy": "percent",
    "repeated_loss": "%.3f",
    "token_loss": "%.3f",
}


def language_model(info: CheckpointInfo) -> None:
    """Its size, the figures, the atlas of its heads, and its card."""
    say, config = translator(), info.settings.config
    values = {"parameters": config.parameters(), "vocabulary": config.vocabulary, "tokens": config.max_tokens}
    st.caption(escape_markdown(say("language_figures.size", **values)))
    _figures(info)
    heads.section(info)
    card_section(info)


def banner(info: CheckpointInfo) -> None:
    """The verdict in small; a warning where the model does not beat the baseline. Nothing where that is not known."""
    numbers = info.metrics.numbers("validation")
    if (better := beats_ngrams(numbers)) is not None:
        sentence = escape_markdown(translator()(language_verdict(numbers)))
        st.caption(sentence) if better else st.warning(sentence, icon=":material/info:")


def _figures(info: CheckpointInfo) -> None:
    """The verdict, and what was measured on each split."""
    say, measured = translator(), {split: info.metrics.numbers(split) for split in _SPLITS}
    better = beats_ngrams(measured["validation"])
    box, icon = (st.error, "do_not_disturb_on") if better is False else (st.info, "check_circle" if better else "info")
    verdict = escape_markdown(say(language_verdict(measured["validation"])))
    if better is None:
        verdict += f" `python -m viz_core evaluate --task {info.task} --model {info.name} --record`"
    box(verdict, icon=f":material/{icon}:")
    names = [name for name in _COLUMNS if any(name in numbers for numbers in measured.values())]
    titles = {name: say(f"language_figures.{name}") for name in names}
    rows = [
        {
            say("language_figures.split"): say(f"language_figures.{split}", n=numbers.get("words", 0)),
            **{titles[name]: numbers.get(name) for name in names},
        }
        for split, numbers in measured.items()
        if numbers
    ]
    if rows:
        formats = {titles[name]: st.column_config.NumberColumn(format=_COLUMNS[name]) for name in names}
        st.dataframe(rows, hide_index=True, placeholder="–", key="language_figures", column_config=formats)
    st.caption(say("language_figures.about"))
