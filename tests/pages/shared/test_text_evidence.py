"""From the pages about models to the evidence about a text: which there are, and that model and text stay."""

import pytest

from tests.pages.app import explorer, link_parameters, open_page, switch, type_texts

WAYS = {  # by task and model
    ("imdb", "small"): ["methods", "whatif", "parts", "patching", "models"],
    ("imdb", "minilm"): ["methods", "whatif", "patching", "models"],  # its residual stream is normalised on the way
    ("imdb", "bag"): ["methods", "whatif", "models"],
    ("afqmc", "small"): ["methods", "whatif", "parts", "patching", "models", "pairs"],
    ("tatoeba", "small"): ["methods", "patching"],
}


@pytest.mark.parametrize("task, model", WAYS)
def test_ways_to_the_evidence_of_a_model(task, model):
    app = open_page("models", task=task, model=model)
    assert [button.key for button in app.button if str(button.key).startswith("way_")] == [
        f"way_{name}" for name in WAYS[task, model]
    ]


@pytest.mark.parametrize("page", ["models", "evaluation"])
def test_a_way_keeps_the_text_and_the_model(page):
    app = type_texts(open_page("sentiment", model="small"), "a dull film")
    app.query_params.clear()
    switch(app, page).run()
    app.button(key="way_whatif").click().run()
    opened = explorer(app)
    assert (opened["model"], opened["instrument"]["texts"]) == ("small", ["a dull film"])
    assert link_parameters(app)["evidence"] == "whatif"
