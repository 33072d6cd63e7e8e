"""The words of the box for files."""

import json

import streamlit as st

from pages.shared.visitor import translator


def translate_uploader(limit: str, within: str = ":root") -> None:
    """The words in the box, which Streamlit has in English alone (streamlit.css). limit: what may be uploaded. within:
    selects what the box is in, where a page has several."""
    choose = translator()("evaluation.file_choose")
    words = " ".join(
        f"--upload-{name}: {json.dumps(text, ensure_ascii=False)};"
        for name, text in (("choose", choose), ("limit", limit))
    )
    st.html(f"<style>{within} {{ {words} }}</style>")
