"""The words of the box for files."""

import json

import streamlit as st

from pages.shared.visitor import translator


def translate_uploader(limit: str) -> None:
    """The words in the box, which Streamlit has in English alone (streamlit.css). limit: what may be uploaded."""
    choose = translator()("evaluation.file_choose")
    words = " ".join(
        f"--upload-{name}: {json.dumps(text, ensure_ascii=False)};"
        for name, text in (("choose", choose), ("limit", limit))
    )
    st.html(f"<style>:root {{ {words} }}</style>")
