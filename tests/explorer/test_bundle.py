"""The committed bundle matches its source, and needs no other server."""

import json
import re
import shlex
import subprocess

import pytest

from tests.explorer.locations import EXPLORER

ESBUILD = EXPLORER / "node_modules" / ".bin" / "esbuild"
FILES = (
    "explorer.js",
    "explorer.css",
    "translation.js",
    "translation.css",
    "whatif.js",
    "whatif.css",
    "calculator.js",
    "calculator.css",
    "inside.js",
    "inside.css",
    "generation.js",
    "generation.css",
    "atlas.js",
    "atlas.css",
    "passages.js",
    "passages.css",
    "lesson.js",
    "lesson.css",
)


def test_the_bundle_is_current(tmp_path):
    """Runs `npm run bundle` into another folder."""
    assert ESBUILD.exists(), f"{ESBUILD} is missing: run make test, which installs esbuild (or npm ci in {EXPLORER})"
    script = json.loads((EXPLORER / "package.json").read_text(encoding="utf-8"))["scripts"]["bundle"]
    name, *flags = shlex.split(script)
    assert name == "esbuild" and "--outdir=." in flags
    flags[flags.index("--outdir=.")] = f"--outdir={tmp_path}"
    build = subprocess.run([ESBUILD, *flags, "--log-level=warning"], cwd=EXPLORER, capture_output=True, text=True)
    assert build.returncode == 0 and not build.stderr, build.stderr
    assert sorted(file.name for file in tmp_path.iterdir()) == sorted(FILES)
    for name in FILES:
        assert (tmp_path / name).read_bytes() == (EXPLORER / name).read_bytes(), f"{name} is old: npm run bundle"


@pytest.mark.parametrize("name", FILES)
def test_the_bundle_requests_no_other_server(name):
    bundle = (EXPLORER / name).read_text(encoding="utf-8")
    assert re.findall(r"(?:https?:)?//(?!www\.w3\.org/)[\w-]+\.[\w.-]+|@import|url\((?!['\"]?data:)", bundle) == []


def test_the_bundle_can_be_embedded_in_a_page():
    """As the text of a `<script>` or `<style>` element, which ends at the first end tag."""
    for name in FILES:
        bundle = (EXPLORER / name).read_text(encoding="utf-8").lower()
        assert "</script" not in bundle and "</style" not in bundle and "<!--" not in bundle
