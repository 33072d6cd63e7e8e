"""One movie review: what the model says, and what every head attends to."""

import streamlit as st

from pages.shared import views
from pages.shared.gallery import REVIEWS
from pages.shared.inputs import examples, text_box
from pages.shared.models import pick_model, shown_or_said
from pages.shared.visitor import translator

say = translator()
st.title(say("pages.sentiment_title"))
st.caption(say("pages.sentiment_note"))
model, box = st.columns([1, 2], gap="large")
with model:
    listing = pick_model("imdb")
with box:
    text = text_box("text", say("pages.review"), REVIEWS[0][1]["text"], height=120)
    examples("review", [(say(f"pages.example_{name}"), texts) for name, texts in REVIEWS])
if listing and (explanation := shown_or_said(listing, text)):
    views.prediction(explanation)
    views.tokens(explanation)
    views.attention(listing, explanation)
