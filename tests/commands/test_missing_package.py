"""Without one of the packages that the app needs, every command says which, and what to do."""

import subprocess
import sys

import pytest

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
    ("package", "locale", "sentence"),
    [
        ("torch", "en_GB.UTF-8", "The package torch is not installed. Install the pinned ones: {command}."),
        ("numpy", "zh_CN.UTF-8", "软件包 numpy 没有安装。请安装固定版本：{command}。"),
    ],
)
def test_a_missing_package_is_named(package, locale, sentence, monkeypatch):
    monkeypatch.setenv("LANG", locale)
    command = [sys.executable, "-c", WITHOUT, package, "doctor"]
    result = subprocess.run(command, capture_output=True, encoding="utf-8", check=False)
    expected = sentence.format(command="pip install -r requirements.txt") + "\n"
    assert (result.returncode, result.stdout, result.stderr) == (1, "", expected)
