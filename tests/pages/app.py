"""Opening a page as Streamlit runs it, and reading what it shows."""

import functools
import json

from streamlit.components.v2 import manifest_scanner
from streamlit.testing.v1 import AppTest
from streamlit.util import calc_hash

from tests.browser import PROJECT

# AppTest looks through every installed package for components, each time that it opens a page: half of a test's time.
manifest_scanner.scan_component_manifests = functools.cache(manifest_scanner.scan_component_manifests)

TITLES = {  # of every page, by its address
    "home": "pages.home_title",
    "lessons": "lessons.page",
    "sentiment": "imdb.title",
    "matching": "afqmc.title",
    "news": "thucnews.title",
    "translation": "translation.title",
    "review-writer": "imdb-text.title",
    "syllables": "syllables.title",
    "other": "other.title",
    "language-model": "generation.title",
    "inside": "inside.title",
    "models": "pages.models_title",
    "head": "heads.title_of_page",
    "evaluation": "pages.evaluation_title",
    "training": "pages.training_title",
    "your-data": "own_data.title",
}


FRAME = ["history", "page_language", "drawer"]  # the components of every page


def open_page(page: str | None = None, **link: str) -> AppTest:
    """A page after its first run, opened with the given query string."""
    app = AppTest.from_file(str(PROJECT / "pages/frame.py"), default_timeout=60)
    app.query_params.update({"lang": "en", **link})
    app.run()
    if page:
        app.query_params.update({"lang": "en", **link})
        switch(app, page).run()
    assert not app.exception
    return app


def switch(app: AppTest, page: str) -> AppTest:
    """Goes to a page by its address; AppTest's own method knows only pages that are files."""
    app._page_hash = calc_hash(page)
    return app


def page_text(app: AppTest) -> str:
    """All warnings, errors, Markdown and captions of a page."""
    return " ".join(element.value for kind in (app.warning, app.error, app.markdown, app.caption) for element in kind)


def explorer(app: AppTest) -> dict:
    """The JSON header of what the instrument is opened with."""
    return header(_instrument(app).bytes)


def header(data: bytes) -> dict:
    """The JSON header of what a component is opened with."""
    return json.loads(data[4 : 4 + int.from_bytes(data[:4], "little")])


def report(app: AppTest, name: str, value: object) -> AppTest:
    """The page after the instrument reported an event."""
    return trigger(app, _instrument(app).id, name, value)


def trigger(app: AppTest, component: str, name: str, value: object) -> AppTest:
    """The page after a component, by its id, reported an event: run with it, as the browser has it run, and once
    again."""
    states = app._tree.get_widget_states()
    event = states.widgets.add()
    event.id = f"$$STREAMLIT_INTERNAL_KEY_{component}__events"
    event.json_trigger_value = json.dumps([{"event": name, "value": value}])
    return app._run(states).run()


def type_texts(app: AppTest, *texts: str, **selected: str) -> AppTest:
    """The page after a person typed these texts and rested, with this selection in place of the opened one."""
    selection = explorer(app).get("selection", {}) | selected
    return report(app, "texts", {"texts": list(texts), "selection": selection})


def _instrument(app: AppTest):
    """The protocol message of the component."""
    (proto,) = (element.proto for element in app.get("bidi_component") if element.proto.component_name == "explorer")
    return proto


def link_parameters(app: AppTest) -> dict[str, str]:
    """The query string, without the language, which is always there."""
    return {
        name: value if isinstance(value, str) else value[-1]
        for name, value in app.query_params.items()
        if name != "lang"
    }
