"""Every page opens beside hostile models, and those of the hostile models themselves."""

from pathlib import Path

import pytest

from tests.pages.app import explorer, open_page, page_text
from tests.pages.test_hostile_models import LISTED, LOADED, SILENT
from tests.tiny import save_checkpoint

pytestmark = pytest.mark.usefixtures("runs_dir")


@pytest.fixture
def hostile(checkpoints_dir) -> Path:
    for name, damage in [(name, damage) for name, (damage, _) in (LISTED | LOADED).items()] + [*SILENT.items()]:
        damage(save_checkpoint(checkpoints_dir, "imdb", name))
    return checkpoints_dir


OTHERS = [pytest.param(page, marks=pytest.mark.slow) for page in (None, "matching", "evaluation", "inside")]


@pytest.mark.parametrize("page", ["sentiment", "models", *OTHERS])
def test_every_page_opens_beside_hostile_folders(hostile, page):
    link = {"task": "imdb"} if page in ("models", "evaluation", "inside") else {}
    app = open_page(page, **link, **({"model": "tiny"} if page and page != "matching" else {}))
    assert not app.exception
    if page == "sentiment":
        assert explorer(app)["tokens"] and "tiny" in " ".join(app.selectbox(key="model").options)
    if page:
        assert all(f"imdb/{name}" in page_text(app).replace("\\", "") for name in LISTED)


@pytest.mark.parametrize("name", [*LOADED, *SILENT])
@pytest.mark.slow
def test_every_page_of_a_hostile_model_opens(hostile, name):
    for page in ("sentiment", "models", "evaluation", "inside"):
        assert not open_page(page, model=name, task="imdb").exception
