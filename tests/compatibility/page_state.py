"""The state of a page opened by a link: address bar, widget values and the explorer's selection."""

import json

from tests.pages.app import link_parameters, open_page

WIDGETS = ("text_area", "selectbox", "slider", "toggle", "multiselect", "number_input", "button_group", "text_input")


def page_state(page: str, link: dict[str, str]) -> dict:
    """Widget values are sorted within each kind, because positions on the page may change.

    The text boxes of the instrument are counted with Streamlit's, as which earlier versions drew them.
    """
    app = open_page(None if page == "home" else page, **link)
    widgets = {
        kind: sorted(json.dumps(_to_list(element.value), ensure_ascii=False) for element in app.get(kind))
        for kind in WIDGETS
    }
    packed = [
        element.proto.bytes for element in app.get("bidi_component") if element.proto.component_name == "explorer"
    ]
    headers = [json.loads(data[4 : 4 + int.from_bytes(data[:4], "little")]) for data in packed]
    boxes = [json.dumps(text, ensure_ascii=False) for header in headers for text in header["instrument"]["texts"]]
    widgets["text_area"] = sorted(widgets["text_area"] + boxes)
    return {
        "address": link_parameters(app),
        "language": app.session_state["lang"],
        "selection": [header["selection"] for header in headers],
        "widgets": {kind: values for kind, values in widgets.items() if values},
    }


def _to_list(value: object) -> object:
    return list(value) if isinstance(value, (list, tuple)) else value
