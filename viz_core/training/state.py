"""What resuming needs beside a checkpoint, as safetensors and JSON: weights in full precision, optimiser, random state.

The learning rate is a function of the step and the batches of an epoch are one of the seed, so that neither has a state.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path

import torch
from safetensors import SafetensorError
from safetensors.torch import load_file, save_file
from torch import Tensor, nn

from viz_core.records import Failure
from viz_core.training.loop import Place

TENSORS, VALUES = "resume.safetensors", "resume.json"


@dataclass
class Standing:
    """Where a training stands, apart from tensors.

    phase: `pretrain` or `train`, and the place in it. evaluations: how many there were. best: the validation figures of the
    best one, with its `evaluation`, `epoch` and `step`; None before the first. step: of all steps. seconds: spent so far.
    data: fingerprint of what is learned from.
    """

    phase: str = ""
    place: Place = field(default_factory=Place)
    evaluations: int = 0
    best: dict | None = None
    step: int = 0
    seconds: float = 0.0
    data: str = ""


def save_state(
    folder: Path, standing: Standing, objective: nn.Module, optimiser: torch.optim.Optimizer, random: dict[str, Tensor]
) -> None:
    """random: as `random_state` gives it, of all processes, `(processes, …)`. Raises OSError or SafetensorError where there
    is no room."""
    tensors = {f"weights/{name}": tensor for name, tensor in objective.state_dict().items()}
    for number, values in optimiser.state_dict()["state"].items():
        tensors |= {f"optimiser/{number}/{name}": value for name, value in values.items()}
    tensors |= {f"random/{name}": value for name, value in random.items()}
    save_file({name: tensor.detach().cpu().contiguous() for name, tensor in tensors.items()}, folder / TENSORS)
    (folder / VALUES).write_text(json.dumps(asdict(standing), indent=2) + "\n", encoding="utf-8")


def load_standing(folder: Path) -> Standing:
    """Raises Failure where the file is damaged."""
    with _said(folder):
        values = json.loads((folder / VALUES).read_text(encoding="utf-8"))
        return Standing(**{**values, "place": Place(**values["place"])})


def load_state(
    folder: Path, objective: nn.Module, optimiser: torch.optim.Optimizer, device: torch.device, process: int
) -> None:
    """Puts weights, optimiser and the random state of this process back; the last, so that nothing draws from it before.
    Raises Failure where the file is damaged, or of another encoder."""
    with _said(folder):
        tensors = load_file(folder / TENSORS)
        objective.load_state_dict(_below(tensors, "weights"))
        state = {}
        for name, value in _below(tensors, "optimiser").items():
            number, _, kind = name.partition("/")
            state.setdefault(int(number), {})[kind] = value
        optimiser.load_state_dict({"state": state, "param_groups": optimiser.state_dict()["param_groups"]})
        # clone: torch reads a generator's state from where its memory begins, whatever part of it a view shows.
        random = {
            name: values[process].clone() for name, values in _below(tensors, "random").items() if process < len(values)
        }
        set_random_state(random, device)


def random_state(device: torch.device) -> dict[str, Tensor]:
    """uint8 tensors. NumPy and Python draw nothing here that is not seeded on the spot."""
    state = {"cpu": torch.get_rng_state()}
    if device.type == "cuda":
        state["cuda"] = torch.cuda.get_rng_state(device)
    elif device.type == "mps":
        state["mps"] = torch.mps.get_rng_state()
    return state


def set_random_state(state: dict[str, Tensor], device: torch.device) -> None:
    """What is of another kind of device is left out; a process that was not there when the state was saved keeps its own."""
    if "cpu" in state:
        torch.set_rng_state(state["cpu"])
    if "cuda" in state and device.type == "cuda":
        torch.cuda.set_rng_state(state["cuda"], device)
    if "mps" in state and device.type == "mps":
        torch.mps.set_rng_state(state["mps"])


@contextmanager
def _said(folder: Path) -> Iterator[None]:
    try:
        yield
    except (OSError, ValueError, KeyError, TypeError, RuntimeError, SafetensorError) as error:  # torch: RuntimeError
        raise Failure(
            "training.damaged_state", folder=str(folder), reason=str(error).strip().splitlines()[0]
        ) from error


def _below(tensors: dict[str, Tensor], head: str) -> dict[str, Tensor]:
    return {name.partition("/")[2]: tensor for name, tensor in tensors.items() if name.startswith(head + "/")}
