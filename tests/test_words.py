"""The sources use the vocabulary of docs/architecture.md: none of the names listed here may come back."""

import ast
import re
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

import pytest

PROJECT = Path(__file__).parents[1]
FOLDERS = ("viz_core", "pages", "benchmarks", "tests")
BUNDLES = {
    PROJECT / f"viz_core/explorer/{name}.js" for name in ("explorer", "translation", "whatif", "calculator", "inside")
}
IGNORED = {".cache", "node_modules", "__pycache__", "failures"}

# Anywhere in a file, comments and strings included: what to write instead.
WORDS = {
    "laboratory": "what-if (heads and tokens), sentence-pair tests (pairs)",
    "intervene": "predict_with_changes",
    "intervention": "changes",
    "probing": "behavioural tests",
    "probed": "tested",
    "taught": "trained",
    "at hand": "available",
    "such a one": "the noun itself",
    "_hurry": "a name that says what is made faster",
    "_take_note": "a name that says what is recorded",
}

# Names of anything in the code: what to write instead.
NAMES = {
    "Place": "LoopState, position or index",
    "Standing": "TrainerState",
    "load_standing": "load_trainer_state",
    "Wish": "Action",
    "wish": "action",
    "wishes": "actions",
    "Watch": "TrainingCallback",
    "Watcher": "LoopCallback",
    "Subject": "TrainingSetup (training), EvidenceInput (evidence)",
    "Kept": "SavedModel (training), FaithfulnessEvidence (evidence)",
    "kept_models": "saved_models",
    "give_up": "delete_model",
    "Listing": "CheckpointInfo",
    "listings": "list_checkpoints",
    "read_listing": "read_info",
    "Probe": "BehaviouralTest",
    "ProbeAnswer": "BehaviouralPrediction",
    "ProbeScore": "CategoryScore",
    "Probing": "BehaviouralResults",
    "Intervention": "Changes",
    "Recognised": "VisitorCookie",
    "Book": "a name that says what it holds",
    "settle": "a verb that says what happens",
    "settled": "is_recorded, is_idle ...: what is over",
    "AnsweredRows": "PredictedRows",
    "one": "what it is: head, row, run, checkpoint ...",
    "found": "what it is: result, match, position ...",
    "kept": "saved, remaining, or what it is",
    "chosen": "selected, or what it is",
    "asked": "requested, or what it is",
    "said": "message, text, or what it is",
    "told": "message, or what it is",
}

# Functions are named by a verb or by the noun that they return: `draw` or `figure`, not `drawn`.
PARTICIPLES = {
    "beaten", "begun", "bent", "bought", "broken", "brought", "built", "caught", "chosen", "done", "drawn",
    "driven", "eaten", "fallen", "felt", "fought", "found", "forgotten", "given", "gone", "grown", "heard",
    "held", "hidden", "kept", "known", "laid", "lost", "made", "meant", "met", "paid", "said", "seen", "sent",
    "shown", "spelt", "spent", "spoken", "stood", "sung", "taken", "taught", "thought", "told", "understood",
    "won", "worn", "written",
}  # fmt: skip
ENDS_IN_ED = {
    "embed", "feed", "need", "seed", "speed",  # verbs and nouns
    "predicted",  # the noun of `Explanation.predicted`: the index of the predicted label
}  # fmt: skip


def sources(*suffixes: str) -> list[Path]:
    """Our files with these suffixes, without the bundles and this file."""
    files = [PROJECT / "app.py", *(file for folder in FOLDERS for file in (PROJECT / folder).rglob("*"))]
    return sorted(
        file
        for file in files
        if file.suffix in suffixes
        and file not in BUNDLES
        and file != Path(__file__)
        and not IGNORED & set(file.relative_to(PROJECT).parts)
    )


def test_no_private_word_stands_in_the_sources():
    lines = ((file, number, line) for file in sources(".py", ".js") for number, line in enumerate(file_lines(file), 1))
    pattern = re.compile(rf"(?<![a-z])({'|'.join(WORDS)})(?![a-z])", re.IGNORECASE)
    refuse((file, number, word, WORDS[word.lower()]) for file, number, line in lines for word in pattern.findall(line))


def test_no_python_name_is_private():
    refuse(
        (file, line, name, NAMES[bare(name)])
        for file in sources(".py")
        for line, name in python_names(file)
        if bare(name) in NAMES
    )


def test_no_javascript_name_is_private():
    refuse(
        (file, line, name, NAMES[name])
        for file in sources(".js")
        for line, code in enumerate(javascript_code(file), 1)
        for name in re.findall(r"[A-Za-z_$][\w$]*", code)
        if name in NAMES
    )


def test_no_function_is_named_by_a_participle():
    python = (
        (file, node.lineno, node.name)
        for file in sources(".py")
        for node in ast.walk(tree(file))
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
    )
    javascript = (
        (file, line, name)
        for file in sources(".js")
        for line, code in enumerate(javascript_code(file), 1)
        for name in re.findall(r"\bfunction\*? (\w+)", code)
    )
    refuse(
        (file, line, name, "a verb, or the noun that it returns")
        for file, line, name in (*python, *javascript)
        if is_participle(name)
    )


@pytest.mark.parametrize(
    "name, expected", [("drawn", True), ("_asked", True), ("seed", False), ("draw", False), ("drawn_rows", False)]
)
def test_participles_are_recognised(name, expected):
    assert is_participle(name) is expected


def test_strings_and_comments_of_javascript_are_no_code(tmp_path):
    file = tmp_path / "example.js"
    file.write_text("const a = 'one'; // found\n/* kept\n chosen */ let b = `one ${chosen} found`;\n")
    assert [re.findall(r"\w+", line) for line in javascript_code(file)] == [["const", "a"], [], ["let", "b", "chosen"]]


def refuse(findings: Iterable[tuple[Path, int, str, str]]) -> None:
    """Fails with one line per finding (file, line number, name, what to write instead), if there is any."""
    lines = [f"{f.relative_to(PROJECT)}:{line}: {name} -> {instead}" for f, line, name, instead in findings]
    if lines:
        pytest.fail("\n".join([*lines, f"{len(lines)} in all"]), pytrace=False)


def is_participle(name: str) -> bool:
    name = bare(name)
    return name in PARTICIPLES or (name.isalpha() and name.islower() and name.endswith("ed") and name not in ENDS_IN_ED)


def bare(name: str) -> str:
    """A name without leading and trailing underscores."""
    return name.strip("_")


def python_names(file: Path) -> Iterator[tuple[int, str]]:
    """Line and name of everything that a file names: functions, classes, parameters, variables, attributes, imports."""
    for node in ast.walk(tree(file)):
        match node:
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                yield node.lineno, node.name
            case ast.arg():
                yield node.lineno, node.arg
            case ast.Name(ctx=ast.Store()):
                yield node.lineno, node.id
            case ast.Attribute():
                yield node.lineno, node.attr
            case ast.alias():
                yield node.lineno, node.asname or node.name.rpartition(".")[2]
            case ast.ExceptHandler(name=str(name)) | ast.MatchAs(name=str(name)) | ast.MatchStar(name=str(name)):
                yield node.lineno, name


def javascript_code(file: Path) -> list[str]:
    """The lines of a file without comments and strings; of template strings, what stands in `${}` stays."""
    text = file.read_text(encoding="utf-8")
    text = re.sub(r"/\*.*?\*/", lambda comment: "\n" * comment[0].count("\n"), text, flags=re.DOTALL)
    lines = []
    for line in text.splitlines():
        line = re.sub(r"`[^`]*`", lambda template: " ".join(re.findall(r"\$\{([^}]*)\}", template[0])), line)
        lines.append(re.sub(r"""'(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*"|//.*""", "", line))
    return lines


@cache
def tree(file: Path) -> ast.Module:
    return ast.parse(file.read_text(encoding="utf-8"), str(file))


def file_lines(file: Path) -> list[str]:
    return file.read_text(encoding="utf-8").splitlines()
