"""What a model's health says beside its predictions: the banner, the remark on a prediction, and that on heat maps."""

from dataclasses import replace
from functools import lru_cache
from pathlib import Path

import streamlit as st

from pages.shared import evidence
from pages.shared.cache import model_version
from pages.shared.visitor import translator
from pages.shared.wording import escape_markdown, join_sentences
from viz_core.analysis.verdicts.model import Skill, calibration_remark, skill
from viz_core.checkpoints import CheckpointInfo
from viz_core.evidence import health as health_evidence
from viz_core.evidence.results import read_result, result_file
from viz_core.explorer.packing import corpus_means
from viz_core.files import file_version
from viz_core.language import Translator
from viz_core.records import Explanation, Health, Message
from viz_core.rendering.probabilities import verdict

WRONG = ("none", "reversed")  # levels of skill at which no attention is to be interpreted


def read_health(info: CheckpointInfo) -> Health | None:
    """The health saved with these weights, if any; read again when its file or the model changes."""
    version = file_version(result_file(info.path, health_evidence.NAME))
    return version and _read_health(info.path, model_version(info), version)


@lru_cache(maxsize=64)
def _read_health(folder: Path, *versions: tuple) -> Health | None:
    return health_evidence.read(read_result(folder, health_evidence.NAME))


# Asked for with every key that a visitor types; a health that is read again is another object.
_skill, _calibration_remark = lru_cache(maxsize=64)(skill), lru_cache(maxsize=64)(calibration_remark)
_corpus_means = lru_cache(maxsize=64)(corpus_means)


def read_skill(info: CheckpointInfo) -> Skill | None:
    """The verdict on a model by its saved health, if any."""
    health = read_health(info)
    return health and _skill(health)


def banner(info: CheckpointInfo) -> None:
    """Says whether the model has learned its task: an error where it has not, a warning where that is in doubt.

    Without saved health: the caution in the model's own settings, and the offer to run the check.
    """
    say, assessment = translator(), read_skill(info)
    if assessment:
        draw_skill(replace(assessment, reasons=assessment.reasons[:-1]), say, quiet=True)
    else:
        if info.settings.caution:
            st.warning(escape_markdown(say(info.settings.caution)), icon=":material/info:")
        evidence.offer(info, health_evidence.NAME)


def draw_skill(assessment: Skill, say: Translator, quiet: bool = False) -> None:
    """The verdict and its reasons in a box of their severity. quiet: on a good model as a caption without a box."""
    text, reasons = sentences(say, assessment.verdict), sentences(say, *assessment.reasons)
    if assessment.level in WRONG:
        st.error(f"**{text}**\n\n{reasons}", icon=":material/do_not_disturb_on:")
    elif assessment.level == "good" and quiet:
        st.caption(sentences(say, assessment.verdict, *assessment.reasons))
    elif assessment.level == "good":
        st.info(f"**{text}** {reasons}", icon=":material/check_circle:")
    else:
        st.warning(f"**{text}** {reasons}", icon=":material/info:")


def prediction_verdict(explanation: Explanation, info: CheckpointInfo) -> Message:
    """The prediction in words. On a model that has not learned its task it says so, in place of how confident it is."""
    assessment = read_skill(info)
    return verdict(explanation, assessment.prediction if assessment else None)


def attention_warning(info: CheckpointInfo) -> Message | None:
    """The sentence above the heat maps of a model that has not learned its task, or was checked on too few inputs."""
    if assessment := read_skill(info):
        return assessment.attention
    return Message(info.settings.caution) if info.settings.caution else None


def baseline_doubt(info: CheckpointInfo) -> Message | None:
    """The sentence beside a prediction of a model whose accuracy does not clearly beat the baseline."""
    assessment = read_skill(info)
    return assessment and assessment.baseline


def prediction_calibration(info: CheckpointInfo) -> Message | None:
    """What was measured of this model's calibration; None without a measurement, or where the prediction is the same
    for every input anyway."""
    health = read_health(info)
    return _calibration_remark(health) if health and _skill(health).level in ("some", "good") else None


def head_means(info: CheckpointInfo) -> dict[str, dict]:
    """What every head attends to on average over the validation split, a field of what the explorer draws
    (`packing.corpus_means`); empty where that was not measured."""
    health = read_health(info)
    return {"corpus": _corpus_means(health.heads)} if health and health.heads else {}


def sentences(say: Translator, *messages: Message) -> str:
    """The messages as one paragraph of escaped Markdown."""
    return escape_markdown(join_sentences(map(say, messages), say))
