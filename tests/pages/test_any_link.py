"""Any link draws: whatever its parameters hold, a page shows what it can of them, or says why not."""

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from streamlit.testing.v1 import AppTest

from pages.explore.whatif import NOTHING
from pages.inside.calculator import FIRST as CALCULATOR
from pages.inside.positions import FIRST as POSITIONS
from pages.inside.state import FIRST as INSIDE
from pages.shared.selection import MOSTLY_ABSENT
from tests.browser import PROJECT
from tests.compatibility.test_links import PARAMETERS
from tests.pages.app import TITLES, switch
from tests.pages.translation.test_page import FIRST
from tests.tiny_translation import save_translation

pytestmark = [pytest.mark.process, pytest.mark.usefixtures("runs_dir")]
NAMES = sorted(
    {
        *PARAMETERS,
        *NOTHING,
        *MOSTLY_ABSENT,
        *FIRST,
        *INSIDE,
        *CALCULATOR,
        *POSITIONS,
        *("source", "outputs", "plane_kind", "plane_layer", "plane_head", "plane_colour", "similarity"),
    }
)
# What parameters hold, what nearly is that, and what no person would write.
LIKELY = ["", "1.1", "2.*", "*.*", "9.9", "1", "0", "-1", "1-2", "1.1 1.2", "tiny", "all", "true", "zh", "whatif", "ab"]
LIKELY += [
    "imdb",
    "tatoeba",
    "samples",
    "errors",
    "compare",
    "file",
    "behaviour",
    "attribution",
    "beam",
    "sample",
    "links",
]
HOSTILE = [
    "9" * 5000,
    "²",
    "１",
    "nan",
    "1e400",
    "inf",
    "<script>alert(1)</script>",
    "../../etc/passwd",
    "runs/",
    "runs/x",
]
HOSTILE += [
    "own-films-" + "0" * 24,
    "\0",
    "{}",
    "[[" * 3000,
    '{"masked": [[0, 9999999999]]}',
    "%s{0}",
    "=1+1",
    "\u202e",
    "花" * 3000,
    "🙂",
    "a\nb",
]
VALUES = st.one_of(
    st.sampled_from(LIKELY), st.sampled_from(HOSTILE), st.text(st.characters(codec="utf-8"), max_size=20)
)
LINKS = st.dictionaries(st.sampled_from(NAMES), VALUES, min_size=1, max_size=6)


@pytest.fixture(autouse=True)
def translation_model(runs_dir, checkpoints_dir):
    save_translation(checkpoints_dir)


def check_link(page: str, link: dict[str, str]) -> None:
    """The page draws with the link, and again as after a click."""
    app = AppTest.from_file(str(PROJECT / "pages/frame.py"), default_timeout=60)
    app.query_params.update(link)
    switch(app, page).run()
    assert not app.exception, app.exception
    assert not app.run().exception, app.exception


CHECKS = dict(deadline=None, suppress_health_check=list(HealthCheck))


@settings(max_examples=4, **CHECKS)
@given(st.sampled_from(sorted(TITLES)), LINKS)
@example("evaluation", {"part": "samples", "seed": "9" * 5000})
@example("inside", {"task": "tatoeba", "kind": "causal", "query": "0", "touch": "masked:1 score:1.1:9999"})
def test_any_link_draws(page, link):
    check_link(page, link)


@pytest.mark.slow
@settings(max_examples=250, **CHECKS)
@given(st.sampled_from(sorted(TITLES)), LINKS)
def test_many_links_draw(page, link):
    check_link(page, link)
