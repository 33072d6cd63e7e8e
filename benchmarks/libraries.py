"""The scripts that BertViz's pages load from the web, cached so that no measurement waits for the network."""

import io
import subprocess
import tarfile
import tempfile
import urllib.request
from pathlib import Path

CACHE = Path(__file__).parent / ".cache"
HOST = "https://cdnjs.cloudflare.com/"
# Address under HOST -> package and file in npm, whose first jquery 2 is 2.1.0.
_PACKAGES = {
    "ajax/libs/require.js/2.3.6/require.min.js": ("requirejs@2.3.6", "require.js"),
    "ajax/libs/d3/5.7.0/d3.min.js": ("d3@5.7.0", "dist/d3.min.js"),
    "ajax/libs/jquery/2.0.0/jquery.min.js": ("jquery@2.1.0", "dist/jquery.min.js"),
}


def fetch() -> None:
    """Fills the cache before anything is measured."""
    for name in _PACKAGES:
        library(HOST + name)


def library(address: str) -> str:
    """The script at an address: from the cache, else from the web, else from npm."""
    name = address.removeprefix(HOST)
    file = CACHE / name.replace("/", "_")
    if not file.exists():
        CACHE.mkdir(exist_ok=True)
        file.write_bytes(_from_web(address) or _from_npm(*_PACKAGES[name]))
    return file.read_text(encoding="utf-8")


def _from_web(address: str) -> bytes | None:
    try:
        with urllib.request.urlopen(address, timeout=10) as response:
            return response.read()
    except OSError:
        return None


def _from_npm(package: str, path: str) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        packed = subprocess.run(
            ["npm", "pack", package, "--silent"], cwd=folder, check=True, capture_output=True, text=True
        )
        archive = (Path(folder) / packed.stdout.split()[-1]).read_bytes()
    with tarfile.open(fileobj=io.BytesIO(archive)) as members:
        return members.extractfile(f"package/{path}").read()
