"""One movie review: what the model says, and what every head attends to."""

import streamlit as st

from pages.shared import health, views
from pages.shared.evidence import evidence
from pages.shared.gallery import REVIEWS
from pages.shared.inputs import examples, text_box
from pages.shared.models import pick_model, shown_or_said
from pages.shared.visitor import translator

say = translator()
st.title(say("pages.sentiment_title"))
st.caption(say("pages.sentiment_note"))
asked, answered = st.columns([6, 5], gap="large")
with asked:
    text = text_box("text", say("pages.review"), REVIEWS[0][1]["text"], height=120)
    examples("review", [(say(f"pages.example_{name}"), texts) for name, texts in REVIEWS])
    listing = pick_model("imdb")
with answered:
    explanation = listing and shown_or_said(listing, text)
    if explanation:
        health.banner(listing)
        views.prediction(explanation)
if explanation:
    views.tokens(explanation)
    views.attention(listing, explanation)
    evidence(listing, explanation)
