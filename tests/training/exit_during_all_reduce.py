"""A process that exits while a sum over all processes is under way: `torchrun ... -m
tests.training.exit_during_all_reduce FOLDER`."""

import sys
import time
from pathlib import Path

import torch

from viz_core.training.devices import start_fabric


class Marker:
    """Creates an empty file when it is deleted."""

    def __init__(self, file: Path) -> None:
        self.file = file

    def __del__(self) -> None:
        self.file.touch()


def main(folder: Path) -> None:
    """Each process leaves a file named by its number, if the tensor that it sums up is freed before it ends."""
    fabric = start_fabric("cpu")
    model = fabric.setup(torch.nn.Linear(2, 2))  # keeps the group of processes
    cycle = [model]
    cycle.append(cycle)
    tensor = torch.ones(2)
    tensor.marker = Marker(folder / str(fabric.global_rank))
    time.sleep(0.2 if fabric.global_rank == 0 else 0)  # the other process has reached its end by then
    torch.distributed.all_reduce(tensor, async_op=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
