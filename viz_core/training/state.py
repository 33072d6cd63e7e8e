"""What resuming needs beside a checkpoint, as safetensors and JSON: weights in full precision, optimiser, random state.

The learning rate is a function of the step and the batches of an epoch are a function of the seed, so neither has a
state.
"""

import json
from dataclasses import asdict, dataclass, field
from pathlib import Path

import torch
from safetensors import SafetensorError
from safetensors.torch import load_file, save_file
from torch import Tensor, nn

from viz_core.records import failing
from viz_core.training.loop import LoopState

TENSORS, VALUES = "resume.safetensors", "resume.json"
_DAMAGE = (OSError, ValueError, KeyError, TypeError, RuntimeError, SafetensorError)  # of torch: RuntimeError


@dataclass
class TrainerState:
    """The progress of a training, apart from tensors.

    phase: `pretrain` or `train`; loop: the state of its loop. evaluations: number so far. best: the validation figures
    of the best one, with its `evaluation`, `epoch` and `step`; None before the first. step: steps done in all phases.
    seconds: spent so far. data: fingerprint of the training data.
    """

    phase: str = ""
    loop: LoopState = field(default_factory=LoopState)
    evaluations: int = 0
    best: dict | None = None
    step: int = 0
    seconds: float = 0.0
    data: str = ""


def save_state(
    folder: Path, state: TrainerState, objective: nn.Module, optimiser: torch.optim.Optimizer, random: dict[str, Tensor]
) -> None:
    """random: as returned by `random_state`, of all processes, `(processes, …)`. Raises OSError or SafetensorError if
    there is no room."""
    tensors = {f"weights/{name}": tensor for name, tensor in objective.state_dict().items()}
    for number, values in optimiser.state_dict()["state"].items():
        tensors |= {f"optimiser/{number}/{name}": value for name, value in values.items()}
    tensors |= {f"random/{name}": value for name, value in random.items()}
    save_file({name: tensor.detach().cpu().contiguous() for name, tensor in tensors.items()}, folder / TENSORS)
    (folder / VALUES).write_text(json.dumps(asdict(state), indent=2) + "\n", encoding="utf-8")


def load_trainer_state(folder: Path) -> TrainerState:
    """Raises Failure if the file is damaged."""
    with failing(_DAMAGE, "training.damaged_state", folder=str(folder)):
        values = json.loads((folder / VALUES).read_text(encoding="utf-8"))
        return TrainerState(**{**values, "loop": LoopState(**values["loop"])})


def load_state(
    folder: Path, objective: nn.Module, optimiser: torch.optim.Optimizer, device: torch.device, process: int
) -> None:
    """Restores weights, optimiser and, last of all, the random state of this process. Raises Failure if the file is
    damaged or belongs to another model."""
    with failing(_DAMAGE, "training.damaged_state", folder=str(folder)):
        tensors = load_file(folder / TENSORS)
        objective.load_state_dict(_with_prefix(tensors, "weights"))
        state: dict[int, dict[str, Tensor]] = {}
        for name, value in _with_prefix(tensors, "optimiser").items():
            number, _, kind = name.partition("/")
            state.setdefault(int(number), {})[kind] = value
        optimiser.load_state_dict({"state": state, "param_groups": optimiser.state_dict()["param_groups"]})
        # clone: torch reads a generator's state from the start of the storage, even if the tensor is a view of a part.
        random = {
            name: values[process].clone()
            for name, values in _with_prefix(tensors, "random").items()
            if process < len(values)
        }
        set_random_state(random, device)


def random_state(device: torch.device) -> dict[str, Tensor]:
    """uint8 tensors. NumPy and Python draw no random numbers here without a seed of their own."""
    state = {"cpu": torch.get_rng_state()}
    if device.type == "cuda":
        state["cuda"] = torch.cuda.get_rng_state(device)
    elif device.type == "mps":
        state["mps"] = torch.mps.get_rng_state()
    return state


def set_random_state(state: dict[str, Tensor], device: torch.device) -> None:
    """States of other kinds of devices are ignored; a process that did not exist when the state was saved keeps its
    own."""
    if "cpu" in state:
        torch.set_rng_state(state["cpu"])
    if "cuda" in state and device.type == "cuda":
        torch.cuda.set_rng_state(state["cuda"], device)
    if "mps" in state and device.type == "mps":
        torch.mps.set_rng_state(state["mps"])


def _with_prefix(tensors: dict[str, Tensor], prefix: str) -> dict[str, Tensor]:
    return {name.partition("/")[2]: tensor for name, tensor in tensors.items() if name.startswith(prefix + "/")}
