"""One thread: encoders this small gain nothing from more, and lose much where the cores are busy."""

from __future__ import annotations

import pytest
import torch


@pytest.fixture(autouse=True)
def one_thread(monkeypatch):
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    monkeypatch.setenv("OMP_NUM_THREADS", "1")  # of the processes that a test starts
    yield
    torch.set_num_threads(threads)
