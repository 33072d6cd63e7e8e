"""The files of the containers, read by what others use to read them (tests/deploy/linters.txt)."""

import json
import os
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest
import yaml

from tests.deploy.reading import MANIFESTS, PROJECT, compose

HADOLINT = shutil.which("hadolint", path=os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]]))
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        not (HADOLINT and find_spec("kubernetes_validate") and find_spec("check_jsonschema")),
        reason="needs linters (make test-slow installs them)",
    ),
]
RELEASES = ("1.32", "1.37")  # of Kubernetes: the oldest with all that the manifests use, the newest with schemas


def test_hadolint_finds_nothing_in_the_dockerfile():
    command = [HADOLINT, "--no-color", "--config", PROJECT / ".hadolint.yaml", PROJECT / "Dockerfile"]
    found = subprocess.run(command, capture_output=True, text=True)
    assert (found.returncode, found.stdout) == (0, "")


def test_the_compose_file_follows_the_specification():
    import jsonschema

    folder = Path(find_spec("check_jsonschema").origin).parent / "builtin_schemas/vendor"  # its own imports need more
    schema = json.loads((folder / "compose-spec.json").read_text("utf-8"))
    jsonschema.validate(compose(), schema, jsonschema.validators.validator_for(schema))


@pytest.mark.parametrize("release", RELEASES)
@pytest.mark.parametrize("file", MANIFESTS, ids=lambda file: file.stem)
def test_manifests_follow_the_schemas_of_kubernetes(file, release):
    import kubernetes_validate

    documents = [*yaml.safe_load_all(file.read_text("utf-8"))]
    for document in documents:
        kubernetes_validate.validate(document, release, strict=True)
    assert documents
