"""What the heads of the models from elsewhere do, on pairs of sentences of our own."""

from threading import Lock
from weakref import WeakKeyDictionary

import streamlit as st

from pages.models.health import draw_patterns
from pages.shared import downloads
from pages.shared.other_models import open_models, opened_checkpoint
from pages.shared.visitor import page_theme, translator
from pages.shared.wording import escape_markdown
from viz_core.analysis.heads.profile import best_read, sentence_profile
from viz_core.checkpoints import Checkpoint
from viz_core.datasets.sample import LANGUAGES, sentence_pairs
from viz_core.records import Failure, HeadProfile
from viz_core.rendering.head_profile import head_profile

_CRITERIA = (
    "previous",
    "next",
    "self",
    "same",
    "cls",
    "sep",
    "punctuation",
    "entropy",
    "entropy_cls",
    "dependence",
    "distance",
    "other",
)

_profiles: WeakKeyDictionary[Checkpoint, tuple[str, HeadProfile]] = WeakKeyDictionary()  # while a model is open
_lock = Lock()


def section() -> None:
    """The heads of one of them; nothing where none is open."""
    say, names = translator(), [info.name for info in open_models()]
    if not names:
        return
    st.header(say("sentence_profile.heads"), anchor="other-heads")
    st.caption(say("sentence_profile.note"))
    with st.container(horizontal=True, vertical_alignment="bottom", key="other_heads"):
        name = st.selectbox(say("pages.model"), names, key="other_model", width=360)
        rank_by = st.selectbox(
            say("health.rank_by"),
            _CRITERIA,
            key="other_rank_by",
            width=280,
            format_func=lambda criterion: say(f"health.statistic_{criterion}"),
        )
    try:
        with st.spinner(say("sentence_profile.computing")):
            language, profile = _profile(opened_checkpoint(name))
    except Failure as failure:
        st.info(escape_markdown(say(failure.message)))
        return
    draw_patterns(profile)
    rank_by = rank_by if rank_by in profile.statistics else ""  # sentences without punctuation
    note = f"sentence_profile.rows_{language}"
    downloads.show(
        head_profile(profile, say, page_theme(), rank_by, note), "head_profile_other", alt=say("health.profile")
    )


def _profile(checkpoint: Checkpoint) -> tuple[str, HeadProfile]:
    """The language of the sentences that the model reads best, and what its heads do on them; computed once, however
    many visitors ask for it."""
    with _lock:
        if checkpoint not in _profiles:
            pairs = {language: sentence_pairs(language) for language in LANGUAGES}
            language = best_read(checkpoint, pairs)
            _profiles[checkpoint] = language, sentence_profile(checkpoint, pairs[language])
        return _profiles[checkpoint]
