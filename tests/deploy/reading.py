"""What the files of the containers say: Dockerfile, compose.yaml, deploy/."""

import json
import re
from functools import cache
from pathlib import Path

import yaml

PROJECT = Path(__file__).parents[2]
MANIFESTS = sorted((PROJECT / "deploy/kubernetes").glob("*.yaml"))
DOCKERFILE, COMPOSE = PROJECT / "Dockerfile", PROJECT / "compose.yaml"

Stage = list[tuple[str, str]]  # instructions with what follows them


@cache
def stages() -> dict[str, Stage]:
    """The stages of the Dockerfile by name, each with those of our own that it is made from; the last is ''."""
    text = re.sub(r"^\s*#.*\n", "", DOCKERFILE.read_text("utf-8"), flags=re.MULTILINE)
    found, stage = dict[str, Stage](), list[tuple[str, str]]()
    for line in filter(None, re.sub(r"\\\n\s*", " ", text).splitlines()):
        instruction, rest = line.split(maxsplit=1)
        if instruction == "FROM":
            base, _, name = rest.partition(" AS ")
            stage = found[name] = [*found.get(base, [])]
        stage.append((instruction, rest))
    return found


def values(instruction: str, stage: str = "") -> list[str]:
    """What follows each instruction of this kind."""
    return [rest for name, rest in stages()[stage] if name == instruction]


def image_environment(stage: str = "") -> dict[str, str]:
    words = " ".join(values("ENV", stage)).split()
    return dict(word.split("=", 1) for word in words)


def image_healthcheck(stage: str = "") -> list[str]:
    """The command that says whether a container is healthy; empty without one."""
    _, _, command = values("HEALTHCHECK", stage)[-1].partition("CMD ")
    return json.loads(command) if command else []


@cache
def compose() -> dict:
    return yaml.safe_load(COMPOSE.read_text("utf-8"))


def services() -> dict[str, dict]:
    return compose()["services"]


@cache
def manifests() -> dict[tuple[str, str], dict]:
    """What is in deploy/kubernetes, by kind and name."""
    documents = [one for file in MANIFESTS for one in yaml.safe_load_all(file.read_text("utf-8"))]
    return {(one["kind"], one["metadata"]["name"]): one for one in documents}


def pods() -> dict[str, dict]:
    """What each pod is made of, by the name of what makes it."""
    return {
        name: one["spec"]["template"]["spec"]
        for (kind, name), one in manifests().items()
        if kind in ("Deployment", "StatefulSet")
    }


def container(name: str) -> dict:
    """The only container of a pod."""
    (found,) = pods()[name]["containers"]
    return found
