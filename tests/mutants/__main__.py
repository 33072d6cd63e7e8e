"""`make mutants`: changes one line of a room at a time and runs its tests, which must fail; writes docs/mutants.md.

Nothing in the working tree is changed but that file. An interrupted run goes on where it was.
"""

import argparse
import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from datetime import date
from pathlib import Path

from mutmut.stats import status_by_exit_code

from benchmarks import tables
from tests.mutants import report, results, workspace
from tests.mutants.rooms import ROOMS, Room, sample

AGAIN = {
    "none": set(),
    "survivors": {*report.SURVIVED, report.TIME_LIMIT},  # the limit, too: the machine may have been busy
    "all": {*status_by_exit_code.values()},
}
DOCUMENT = workspace.PROJECT / "docs" / "mutants.md"


def main(arguments: Sequence[str] | None = None) -> int:
    """Returns 1 if a survivor is not explained or a mutant was not run."""
    options = _parser().parse_args(arguments)
    complete = [test_room(ROOMS[name], options) for name in options.room or ROOMS]
    return 0 if all(complete) else 1


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m tests.mutants", description=__doc__)
    parser.add_argument("--room", action="append", choices=ROOMS, help="only this room; may be repeated")
    parser.add_argument("--size", type=int, default=150, help="mutants per room (%(default)s)")
    parser.add_argument("--seed", type=int, default=0, help="of the sample (%(default)s)")
    parser.add_argument("--minutes", type=float, default=60, help="most minutes per room (%(default)s)")
    parser.add_argument("--processes", type=int, default=1, help="mutants at a time (%(default)s)")
    parser.add_argument("--again", choices=AGAIN, default="none", help="run also these, because tests have changed")
    return parser


def test_room(room: Room, options: argparse.Namespace) -> bool:
    """Runs what is left of the sample and writes the score of the room; whether all was run and is explained."""
    folder = workspace.prepare(room)
    mutants = results.all_mutants(folder, room)
    drawn = {name: mutants[name] for name in sample(mutants, options.size, options.seed)}
    to_run = {report.NOT_RUN, *AGAIN[options.again]}
    for _ in range(2):  # in the first round mutmut forgets the results of functions that have changed
        pending = [name for name, status in results.statuses(folder, drawn).items() if status in to_run]
        print(f"{room.name}: {len(pending)} of {len(drawn)} mutants to run", flush=True)
        pending = pending or workspace.unmade(folder, drawn)[:1]
        if not pending or not run_mutmut(folder, pending, options):
            break
        to_run = {report.NOT_RUN}

    status = results.statuses(folder, drawn)
    survivors = [
        results.survivor(folder, name, drawn[name]) for name, value in status.items() if value in report.SURVIVED
    ]
    reasons = report.read_reasons()
    counts = report.score(len(mutants), list(status.values()))
    tables.write(DOCUMENT, f"mutants of {room.name}", report.line(room.name, f"{date.today()}", counts))
    unexplained = [survivor for survivor in survivors if survivor not in reasons]
    print(f"{room.name}: {counts.killed} of {counts.run} killed, {len(unexplained)} survivors to explain", flush=True)
    print(*(f"\n{survivor.function}\n{survivor.change}" for survivor in unexplained), flush=True)
    return counts.run == counts.sample and not unexplained


def run_mutmut(folder: Path, names: Sequence[str], options: argparse.Namespace) -> bool:
    """Runs mutants, for at most the minutes asked for; mutmut saves every result. Returns whether all ran."""
    command = [Path(sys.executable).with_name("mutmut"), "run", "--max-children", str(options.processes), *names]
    with subprocess.Popen(command, cwd=folder, env={**os.environ, "OMP_NUM_THREADS": "1"}) as process:
        try:
            code = process.wait(options.minutes * 60)
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGINT)  # it ends its processes
            process.wait()
            return False
    if code:
        raise SystemExit(f"mutmut ended with exit code {code}: do the tests of the room pass?")
    return True


if __name__ == "__main__":
    raise SystemExit(main())
