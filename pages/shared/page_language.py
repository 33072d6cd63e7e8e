"""The language of the page, as screen readers are told: Streamlit's document says English."""

import streamlit as st

_declaration = st.components.v2.component(
    "page_language",
    html="<div></div>",
    js="export default ({ data }) => { document.documentElement.lang = data.language; };",
)


def declare_language(language: str) -> None:
    """Sets the `lang` of the document. Call once in each run of the app."""
    _declaration(key="page_language", data={"language": language})
