"""Without one of the packages that the app needs, every command says which, and what to do."""

import subprocess
import sys

import pytest

from tests.words import chinese, english

pytestmark = pytest.mark.process
WITHOUT = """
import sys

class Nowhere:
    def find_spec(self, name, path=None, target=None):
        if name == package:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

package = sys.argv.pop(1)
sys.meta_path.insert(0, Nowhere())
from viz_core.__main__ import main
sys.exit(main())
"""


@pytest.mark.parametrize(
    ("package", "locale", "say"), [("torch", "en_GB.UTF-8", english), ("numpy", "zh_CN.UTF-8", chinese)]
)
def test_a_missing_package_is_named(package, locale, say, monkeypatch):
    monkeypatch.setenv("LANG", locale)
    command = [sys.executable, "-c", WITHOUT, package, "doctor"]
    result = subprocess.run(command, capture_output=True, encoding="utf-8", check=False)
    expected = say("doctor.package_missing", package=package) + "\n"
    assert (result.returncode, result.stdout, result.stderr) == (1, "", expected)
