"""Whatever is typed has an explanation whose rows sum to 1, or is refused in words."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.tiny import encoder, text_encoder
from viz_core.analysis.explain import explain
from viz_core.checkpoints import Checkpoint, Settings
from viz_core.language import LANGUAGES, Translator
from viz_core.records import Failure, Metrics
from viz_core.tasks import get_task

# Any code points, lone surrogates, marks and control characters included, and what the vocabularies know.
TEXTS = st.text(
    st.one_of(st.characters(), st.sampled_from("花呗怎么还款 agodfilm.<br />[SEP]\u0301\u200d\ud800\U0001f600"))
)


def tiny_checkpoint(task: str) -> Checkpoint:
    text = text_encoder(task)
    model = encoder(vocabulary=text.vocabulary, max_tokens=text.max_tokens)
    return Checkpoint("tiny", get_task(task), Settings(task, model.config), model, text, Metrics({}))


CHECKPOINTS = {task: tiny_checkpoint(task) for task in ("imdb", "afqmc")}


@pytest.mark.parametrize("task", CHECKPOINTS)
@settings(max_examples=150)
@given(first=TEXTS, second=TEXTS)
def test_rows_sum_to_one_and_offsets_lie_in_the_text_or_a_sentence_says_why_not(task, first, second):
    texts = (first, second) if get_task(task).pair else (first,)
    try:
        explanation = explain(CHECKPOINTS[task], *texts)
    except Failure as failure:
        assert all(Translator(language)(failure.message) for language in LANGUAGES)
        return
    encoding = explanation.encoding
    np.testing.assert_allclose(explanation.attention.sum(-1), 1, atol=1e-5)
    assert explanation.probabilities.sum() == pytest.approx(1) and np.isfinite(explanation.probabilities).all()
    for number in np.flatnonzero(~encoding.special):
        start, end = encoding.offsets[number]
        assert 0 <= start < end <= len(texts[encoding.segments[number]])
