"""Playing the evaluations of a run one after another: a button, and the slider that it moves."""

import time
from collections.abc import Mapping, Sequence

import streamlit as st

from pages.shared.visitor import translator
from viz_core.jobs.runs import Run

STEP_SECONDS = 0.8  # for which each evaluation is shown
NEWEST = -1  # a place of the slider
_TOGGLED = "replay_toggled"  # in the session: the button was pressed, the page has not been drawn again yet


def is_playing(run: Run) -> bool:
    """Whether the visitor has pressed play, and neither stopped it nor reached the end."""
    return bool(st.session_state.get(_playing(run)))


def play_once(run: Run) -> None:
    """Presses play for the visitor, unless this was done before in the session."""
    for key, value in ((_playing(run), True), (_move_time(run), None)):
        st.session_state.setdefault(key, value)


def pick_evaluation(run: Run, numbers: Sequence[int], labels: Mapping[int, str]) -> int:
    """The button and the slider, and the evaluation that they are at; to be called in a fragment.

    numbers: the evaluations to choose from, ascending; labels: their names. The right end is the newest one, whichever
    that is: nothing has to be moved while a run goes on. While playing, each rerun after `STEP_SECONDS` moves on to the
    next one.
    """
    say, state, key = translator(), st.session_state, f"replay_at_{run.id}"
    if state.pop(_TOGGLED, False):
        st.rerun()  # a fragment gets its interval from the page
    if len(numbers) == 1:  # a slider needs two ends
        return numbers[0]
    places = [*numbers[:-1], NEWEST]
    has_moved = _move_on(run, places, key)
    playing = is_playing(run)
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small", key="replay_player"):
        st.button(
            say("pages.training_pause" if playing else "pages.training_play"),
            key=f"replay_button_{run.id}",
            icon=":material/pause:" if playing else ":material/play_arrow:",
            on_click=_toggle,
            args=(run,),
        )
        place = st.select_slider(
            say("pages.training_evaluation"),
            places,
            key=key,
            # What the browser falls back to if it draws the slider anew; none beside a place that was set.
            **({} if has_moved else {"value": NEWEST}),
            format_func={**labels, NEWEST: say("pages.training_newest")}.get,
            label_visibility="collapsed",
        )
    return numbers[-1] if place == NEWEST else place


def _toggle(run: Run) -> None:
    """Starts or stops where the slider is."""
    st.session_state.update({_playing(run): not is_playing(run), _move_time(run): None, _TOGGLED: True})


def _move_on(run: Run, places: Sequence[int], key: str) -> bool:
    """Sets the next place, if the current one was shown long enough; at the end, playing stops. Returns whether it did.

    Whoever presses play at the end sees it from the beginning. key: of the slider.
    """
    state, now = st.session_state, time.monotonic()
    if not is_playing(run):
        return False
    current, moved = state.get(key), state[_move_time(run)]
    place = places.index(current) if current in places else len(places) - 1
    if moved is None:
        state[key] = places[0 if place + 1 == len(places) else place]
    elif now - moved < 0.8 * STEP_SECONDS:  # another widget was changed, or the browser's clock is early
        return False
    elif place + 1 < len(places):
        state[key] = places[place + 1]
    else:
        state[_playing(run)] = False
        st.rerun()
    state[_move_time(run)] = now
    return True


def _playing(run: Run) -> str:
    return f"replay_playing_{run.id}"


def _move_time(run: Run) -> str:
    return f"replay_moved_{run.id}"


def pick_head(run: Run, layers: int, heads: int) -> tuple[int, int]:
    """Layer and head, from 0; at first, the first head of the last layer."""
    return _number(run, "layer", layers, layers - 1), _number(run, "head", heads, 0)


def _number(run: Run, name: str, count: int, first: int) -> int:
    """A picker of a layer or head, shown from 1, returned from 0."""
    say = translator()
    return st.selectbox(
        say(f"pages.training_{name}"),
        range(count),
        key=f"replay_{name}_{run.id}",
        index=first,
        format_func=lambda index: say(f"pages.training_nth_{name}", number=index + 1),
        label_visibility="collapsed",
    )
