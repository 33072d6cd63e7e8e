"""Inputs as the bytes that the explorer draws, for the first drawing of a page and for every key typed after it."""

from collections.abc import Mapping
from threading import Lock

from cachetools import LRUCache, cached
from cachetools.keys import hashkey

from pages.routes.heads import PATH as HEADS
from pages.shared.cache import input_norms, input_statistics, measures, model_version
from pages.shared.head_names import given
from pages.shared.health import (
    attention_warning,
    baseline_doubt,
    head_means,
    prediction_calibration,
    prediction_verdict,
)
from pages.shared.models import display_name
from pages.shared.surveys import is_surveyed
from viz_core.checkpoints import CheckpointInfo
from viz_core.explorer import packing
from viz_core.explorer.shared import prediction_fields
from viz_core.language import Translator
from viz_core.records import Explanation
from viz_core.rendering.theme import Theme

CACHED_BYTES = 16 * 2**20  # of packed inputs, for all visitors; an input takes up to 1 MB
_cache, _lock = LRUCache(CACHED_BYTES, getsizeof=len), Lock()


def pack_input(
    info: CheckpointInfo,
    explanation: Explanation,
    say: Translator,
    theme: Theme | None,
    selected: Mapping[str, str],
    turns: int = 0,
    choices: int = 0,
    **fields: object,
) -> bytes:
    """An input as bytes. theme: None for a browser that has the theme and the messages already.

    selected: what is selected, as in a link. turns: how often the browser of this visitor went back or forward.
    choices: how often a head was selected below the explorer. fields: added to the header; they follow from the other
    arguments.
    """
    words, texts = _words(info, explanation, say), explanation.encoding.texts
    means, names = head_means(info), given(info)
    model = info.path, model_version(info), bool(means), is_surveyed(info)
    key = hashkey(
        *model,
        *texts,
        *words.values(),
        *names.items(),
        language=say.language,
        theme=theme,
        turns=turns,
        choices=choices,
        **selected,
    )
    request = {"url": HEADS, "body": {"task": explanation.task, "model": explanation.model, "texts": texts}}

    @cached(_cache, key=lambda: key, lock=_lock)
    def pack() -> bytes:
        prediction = {**prediction_fields(explanation, say), **words}
        statistics, available = input_statistics(explanation), measures(info)
        shows_norms = selected.get("measure") == "norms" and "norms" in available
        norms = input_norms(info, explanation) if shows_norms else None  # else fetched when they are
        named = {
            "prediction": prediction,
            "modelName": display_name(info, say),
            **means,
            "names": names,
            "turns": turns,
            "choices": choices,
        }
        named |= {"measures": available, **fields}
        return packing.pack(explanation, statistics, say, theme, selected, request, norms, **named)

    return pack()


def _words(info: CheckpointInfo, explanation: Explanation, say: Translator) -> dict[str, str]:
    """What the model's health says of a prediction: the verdict, a remark on the confidence, a doubt about the model in
    place of it, and a caution above the heat map."""
    messages = {
        "verdict": prediction_verdict(explanation, info),
        "remark": prediction_calibration(info),
        "doubt": baseline_doubt(info),
        "caution": attention_warning(info),
    }
    return {name: say(message) if message else "" for name, message in messages.items()}
