"""Fixtures of all tests of training, on a CPU and, by `make check-gpu`, on a GPU."""

import pytest
import torch

from viz_core.training import loop


@pytest.fixture(autouse=True)
def read_after_every_step(monkeypatch):
    """On a GPU as on a CPU: tests stop and kill trainings after a certain step."""
    monkeypatch.setattr(loop, "_STEPS_PER_READ", 1)


@pytest.fixture(autouse=True)
def one_thread(monkeypatch):
    """Encoders this small gain nothing from more threads, and lose much if the cores are busy."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    monkeypatch.setenv("OMP_NUM_THREADS", "1")  # of the processes that a test starts
    yield
    torch.set_num_threads(threads)
