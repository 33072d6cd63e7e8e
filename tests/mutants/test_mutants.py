"""What `make mutants` draws, copies and writes; mutmut itself, which only `make mutants` installs, is not run here."""

import os
from pathlib import Path

import pytest

from tests.mutants import report, workspace
from tests.mutants.report import Score
from tests.mutants.rooms import ROOMS, sample

NAMES = [f"file.x_{function}__mutmut_{number}" for function in ("f", "g") for number in range(1, 301)]


class TestSample:
    def test_is_drawn_without_replacement_and_the_same_for_a_seed(self):
        drawn = sample(NAMES, 150, seed=0)
        assert len(set(drawn)) == 150 and set(drawn) < set(NAMES) and sample(reversed(NAMES), 150, seed=0) == drawn
        assert 50 < sum("x_f" in name for name in drawn) < 100
        assert sample(NAMES, 150, seed=1) != drawn and sample(NAMES, 1000, seed=0) == sorted(NAMES)

    def test_a_larger_sample_holds_the_smaller(self):
        assert set(sample(NAMES, 50, seed=0)) < set(sample(NAMES, 60, seed=0))


class TestWorkspace:
    def test_changed_files_are_copied_and_made_again(self, tmp_path):
        source, target, mutated = (tmp_path / name for name in ("source", "target", "mutated"))
        for folder in (source, target, mutated):
            (folder / "part").mkdir(parents=True)
            for name in ("same.py", "changed.py"):
                (folder / "part" / name).write_text("old", encoding="utf-8")
        (source / "part" / "changed.py").write_text("new", encoding="utf-8")
        (source / "part" / "more.toml").write_text("more", encoding="utf-8")
        (target / "gone.py").write_text("old", encoding="utf-8")
        (mutated / "gone.py").write_text("old", encoding="utf-8")
        (source / "node_modules").mkdir()
        (source / "node_modules" / "large.js").write_text("", encoding="utf-8")
        workspace.update(source, target, mutated)
        copied = {path.name: path.read_text(encoding="utf-8") for path in target.rglob("*") if path.is_file()}
        assert copied == {"same.py": "old", "changed.py": "new", "more.toml": "more"}
        assert [path.name for path in mutated.rglob("*") if path.is_file()] == ["same.py"]
        mutants = {name: Path(f"{name}.py") for name in ("same", "changed")}
        mutated.rename(tmp_path / "mutants")
        assert workspace.unmade(tmp_path, {name: "part" / path for name, path in mutants.items()}) == ["changed"]

    @pytest.mark.parametrize("room", ROOMS.values(), ids=ROOMS)
    def test_rooms_and_what_their_tests_leave_out_exist(self, room):
        for source in room.sources:
            assert [path for path in workspace.PROJECT.glob(source) if path.suffix == ".py"], source
        for argument in room.tests:
            path, _, test = argument.removeprefix("--deselect=").partition("::")
            assert (workspace.PROJECT / path).exists(), argument
            assert f"def {test}" in (workspace.PROJECT / path).read_text(encoding="utf-8") if test else True, argument

    def test_the_copy_is_ignored_by_git(self):
        ignored = (workspace.PROJECT / ".gitignore").read_text(encoding="utf-8").splitlines()
        assert f"/{workspace.FOLDER.relative_to(workspace.PROJECT)}/" in ignored and workspace.FOLDER.name != os.curdir


class TestReport:
    def test_counts(self):
        statuses = ["killed"] * 5 + ["timeout", "segfault", "survived", "no tests", "not checked"]
        assert report.score(30, statuses) == Score(30, 10, run=9, killed=7, time_limit=1, no_tests=1)

    def test_a_score_with_its_interval(self):
        """Newcombe 1998, table I, case (a): 81 of 263 gives 0.2553 to 0.3662."""
        text = report.line("models", "2026-11-22", Score(1002, 263, 263, 81, 4, 2))
        assert text == (
            "**models**, 2026-11-22: 81 of 263 mutants killed, **30.8%** (95% CI 25.5%–36.6%); 4 by the time limit, "
            "2 run by no test; the room has 1,002 mutants."
        )
        assert "(150 drawn, the rest not run yet)" in report.line("models", "", Score(9, 150, 9, 9, 0, 0))

    def test_every_room_has_its_line_and_every_survivor_a_reason(self):
        document = (workspace.PROJECT / "docs" / "mutants.md").read_text(encoding="utf-8")
        assert all(f"<!-- mutants of {room}: begin -->" in document for room in ROOMS)
        assert all(report.read_reasons().values())
