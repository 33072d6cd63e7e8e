"""One of several processes, which ends while a sum over all of them is under way: `... -m tests.training.leaving FOLDER`."""

import sys
import time
from pathlib import Path

import torch

from viz_core.training.devices import start_fabric


class Mark:
    """Leaves an empty file where it was, once nothing needs it any more."""

    def __init__(self, file: Path) -> None:
        self.file = file

    def __del__(self) -> None:
        self.file.touch()


def main(folder: Path) -> None:
    fabric = start_fabric("cpu")
    model = fabric.setup(torch.nn.Linear(2, 2))  # keeps the group of processes
    cycle = [model]
    cycle.append(cycle)
    one = torch.ones(2)
    one.mark = Mark(folder / str(fabric.global_rank))
    time.sleep(0.2 if fabric.global_rank == 0 else 0)  # the other one has reached its end by then
    torch.distributed.all_reduce(one, async_op=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
