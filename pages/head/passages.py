"""The inputs that show a statistic of a head, from the tenth that shows it least to the tenth that shows it most."""

from contextlib import suppress
from dataclasses import dataclass
from threading import Condition

import streamlit as st
from cachetools import LRUCache, cached
from cachetools.keys import hashkey

from pages.head.reading import read_row
from pages.shared import links
from pages.shared.cache import load_model, model_version
from pages.shared.component import component, follow_theme
from pages.shared.heads import STATISTIC
from pages.shared.opening import open_input, open_model, translation_state
from pages.shared.own_tasks import rows_from
from pages.shared.surveys import Surveyed, with_texts
from pages.shared.translating import DEFAULTS
from pages.shared.visitor import page_theme, translator
from viz_core.analysis.verdicts.survey import CRITERIA, head_name, standouts
from viz_core.checkpoints import CheckpointInfo
from viz_core.explorer.passages import pack_passages
from viz_core.models.protocol import reads_source
from viz_core.records import DECILES, Failure, HeadSurvey

DECILE = "tenth"  # in the session and in the link
_OVERVIEW, ALL = 0, DECILES + 1  # in place of a tenth: of some, or of every one, the first input is shown
_ONE_OF_EACH = {_OVERVIEW: (10, 7, 4, 1), ALL: tuple(range(DECILES, 0, -1))}
PASSAGE_TOKENS = 50_000  # of passages that are kept, for all visitors; a token takes about 200 bytes
_passages = component("passages", '<div class="explorer passages"></div>', ["open", "theme"])


@dataclass(frozen=True)
class _Place:
    """A head, and a passage: tenth from 1, row of the corpus and position of the query from 0."""

    kind: str
    layer: int
    head: int
    tenth: int
    row: int
    query: int


def section(info: CheckpointInfo, surveyed: Surveyed, kind: str, layer: int, head: int) -> None:
    """The pickers of a statistic and of a tenth, and the inputs."""
    say = translator()
    st.header(say("heads.passages"), anchor="passages")
    surveyed, texts_of = with_texts(info, surveyed)
    survey = surveyed.of(kind)
    with st.container(horizontal=True, vertical_alignment="bottom", key="passage_pickers"):
        name = links.pick(
            st.selectbox,
            STATISTIC,
            say("heads.shows"),
            survey.statistics,
            lambda name: say(f"health.statistic_{name}"),
            default=_most_telling(survey, layer, head),
            width=280,
        )
        tenth = links.pick(
            st.selectbox,
            DECILE,
            say("heads.tenth"),
            (_OVERVIEW, ALL, *range(1, DECILES + 1)),
            lambda number: say(f"heads.tenth_{_word(number)}", number=number),
            width=280,
        )
    st.caption(say(f"heads.passages_{rows_from(info.task, surveyed.source)}", n=surveyed.n))
    places = [
        _Place(survey.kind, layer, head, number, row, query)
        for number in _ONE_OF_EACH.get(tenth, (tenth,))
        for row, query in survey.statistics[name].passages(layer, head, number - 1)[
            : 1 if tenth in _ONE_OF_EACH else None
        ]
    ]
    _show(info, {place: texts for place in places if (texts := texts_of(place.row))})
    if tenth == _OVERVIEW and survey.statistics[name].inputs >= DECILES:
        st.button(say("heads.show_ten"), key="show_ten", on_click=_show_ten, type="tertiary")


def _show_ten() -> None:
    st.session_state[DECILE] = ALL


def _word(tenth: int) -> str:
    return {_OVERVIEW: "overview", ALL: "all", 1: "lowest", DECILES: "highest"}.get(tenth, "other")


def _most_telling(survey: HeadSurvey, layer: int, head: int) -> str:
    """The criterion by which the head stands out, and exceeds its control most; the entropy if by none."""
    found = {standout.criterion for standout in standouts(survey, only=(layer, head))}
    shares = {name: survey.statistics[name] for name in CRITERIA if name in found}
    gains = {name: share.mean[layer, head] - share.control(layer, head) for name, share in shares.items()}
    return max(gains, key=gains.__getitem__, default="entropy")


def _show(info: CheckpointInfo, texts: dict[_Place, tuple[str, ...]]) -> None:
    """The inputs, except rows that the corpus no longer has; one that is pressed opens in the explorer."""
    shown, version = {}, model_version(info)
    for place, its in texts.items():
        with suppress(Failure, IndexError):
            shown[place] = _read(info, version, its, place) | {"tenth": place.tenth, "row": place.row + 1}
    if not shown:
        return
    event = _passages(key="head_passages", data=pack_passages(list(shown.values()), translator(), page_theme()))
    if isinstance(event.open, int) and 0 <= event.open < len(shown):
        place = list(shown)[event.open]
        _open(info, texts[place], place)
    follow_theme(event)


@cached(
    LRUCache(PASSAGE_TOKENS, getsizeof=lambda passage: passage["tokens"]),
    key=lambda info, version, texts, place: hashkey(info.path, version, texts, place),
    condition=Condition(),
)
def _read(info: CheckpointInfo, version: tuple, texts: tuple[str, ...], place: _Place) -> dict:
    """The passage as the browser draws it; kept, as the attention of long inputs is not. Raises Failure, IndexError."""
    return read_row(info, texts, place.kind).query((place.layer, place.head), place.query)


def _open(info: CheckpointInfo, texts: tuple[str, ...], place: _Place) -> None:
    """Goes to the explorer of the input, with the head and the query selected."""
    selected = {"head": head_name(place.layer, place.head), "query": str(place.query + 1)}
    if not reads_source(load_model(info).model):
        open_input(info, texts, reference=selected)
        return
    source, reference = texts
    held = {"text": source, "reference": reference, "view": "training", "kind": place.kind}
    st.session_state[translation_state(info.task)] = {**DEFAULTS, **held, **selected}
    open_model(info)
