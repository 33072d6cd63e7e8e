"""What-if of a model without attention: its tokens can be changed, and there is nothing else to change."""

from dataclasses import replace

import numpy as np
import pytest

from tests.explorer import examples
from tests.words import english

pytestmark = pytest.mark.browser


def test_tokens_are_changed_and_there_are_no_heads_and_no_row(open_whatif):
    explanation = examples.pair()
    count = len(explanation.encoding.tokens)
    whatif = open_whatif(replace(explanation, attention=np.zeros((0, 0, count, count), np.float32)))
    assert [whatif.part(name).count() for name in ("tokens", "heads", "row")] == [1, 0, 0]
    assert whatif.page.locator(".control, .track.random").count() == 0
    assert "block" not in whatif.part("tokens").inner_text()
    for name, text in (("removed", "removed"), ("unknown", "[UNK] for")):
        whatif.click(whatif.chip(2))
        assert whatif.requested_tokens == {name: [1]} and "row" not in whatif.server.requests[-1]
        assert whatif.summary.startswith(f"Changed: {text}")
    whatif.click(whatif.chip(2))
    assert whatif.summary == english("whatif.nothing_changed")
    requests = len(whatif.server.requests)
    whatif.chip(1).click(force=True)
    whatif.wait_until_idle()
    assert len(whatif.server.requests) == requests, "[CLS] cannot be changed"
