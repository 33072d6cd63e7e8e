"""Tokenizers are not tried out in processes of their own, but in tests of that."""

from __future__ import annotations

import pytest


@pytest.fixture(autouse=True)
def no_trial_of_tokenizers(request, monkeypatch):
    if "process" not in request.keywords:
        monkeypatch.setattr("viz_core.text.tokenizer_file._trial", lambda content: "")
