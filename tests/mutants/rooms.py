"""The rooms of the library that are mutated, each with the tests that must notice, and the sample of their mutants."""

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True)
class Room:
    """sources: globs of the files to mutate; tests: pytest's arguments that select the tests."""

    name: str
    sources: tuple[str, ...]
    tests: tuple[str, ...]


def package(name: str, *left_out: str) -> Room:
    """A package with its tests, without some of them: a file, or a test in a file."""
    return Room(
        name, (f"viz_core/{name}/*",), (f"tests/{name}", *(f"--deselect=tests/{name}/{test}" for test in left_out))
    )


# Left out: tests of several processes, which wait for each other in real time; a job that runs in another folder, where
# mutmut's own code misses its settings; and a test of git's settings, which are not copied.
ROOMS = {
    room.name: room
    for room in (
        package("models"),
        package("evidence"),
        package(
            "training",
            "test_processes.py",
            "test_resume.py::test_after_sigkill_the_same_command_resumes_to_the_same_curve",
            "test_run.py::test_the_worker_runs_it",
            "test_saved_models.py::test_git_ignores_the_provenance_of_saved_models",
        ),
        package("jobs", "test_lives.py", "test_worker.py::test_job_sees_the_folders_of_its_submitter"),
        package("analysis"),
        Room(
            "inside",
            ("viz_core/analysis/inside/*",),
            tuple(
                f"tests/analysis/test_{name}.py"
                for name in (
                    "blocks",
                    "head_changes",
                    "inside",
                    "layer_matrices",
                    "logit_lens",
                    "positions",
                    "query_key_plane",
                    "steps",
                )
            ),
        ),
        Room(
            "figures",
            (
                "viz_core/training/translation.py",
                "viz_core/analysis/evaluation/word_order.py",
                "viz_core/analysis/verdicts/comparison.py",
                "viz_core/evidence/comparison.py",
            ),
            (
                "tests/training/test_translation.py",
                "tests/analysis/test_word_order.py",
                "tests/evidence/test_comparison.py",
            ),
        ),
        Room(
            "packing",
            ("viz_core/explorer/pack*.py",),
            ("tests/explorer/test_packing.py", "tests/explorer/test_packed_translation.py"),
        ),
    )
}


def sample(names: Iterable[str], count: int, seed: int) -> list[str]:
    """A random sample without replacement. Mutants of other functions do not change which of a function are in it."""

    def rank(name: str) -> bytes:
        return hashlib.sha256(f"{seed} {name}".encode()).digest()

    return sorted(sorted(names, key=rank)[:count])
