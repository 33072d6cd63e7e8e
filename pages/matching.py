"""Two Chinese questions: whether they mean the same, and what every head attends to."""

import streamlit as st

from pages.shared import health, views
from pages.shared.evidence import evidence
from pages.shared.gallery import PAIRS
from pages.shared.inputs import examples, swap, text_box
from pages.shared.models import pick_model, shown_or_said
from pages.shared.visitor import translator

say = translator()
st.title(say("pages.matching_title"))
st.caption(say("pages.matching_note"))
asked, answered = st.columns([6, 5], gap="large")
with asked:
    first, between, second = st.columns([8, 1, 8], vertical_alignment="center", gap="small")
    with first:
        a = text_box("a", say("pages.sentence_a"), PAIRS[0][1]["a"], height=80)
    between.button("", key="swap", on_click=swap, args=("a", "b"), icon=":material/swap_horiz:", type="tertiary",
                   help=say("pages.swap"))
    with second:
        b = text_box("b", say("pages.sentence_b"), PAIRS[0][1]["b"], height=80)
    examples("pair", [(say(f"pages.example_{name}"), texts) for name, texts in PAIRS])
    listing = pick_model("afqmc")
with answered:
    explanation = listing and shown_or_said(listing, a, b)
    if explanation:
        health.banner(listing)
        views.prediction(explanation)
if explanation:
    views.tokens(explanation)
    views.attention(listing, explanation)
    evidence(listing, explanation)
