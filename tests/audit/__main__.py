"""`make audit`: insecure code, by ruff's security rules and bandit; known vulnerabilities of the installed packages.

Rules that do not apply are left out in pyproject.toml, single lines where they stand, each with its reason.
"""

import json
import subprocess
import sys
from pathlib import Path

PROJECT = Path(__file__).parents[2]
CODE = ("viz_core", "pages", "app.py")
CHECKS = {
    "ruff, with its security rules": ("ruff", "check", "--quiet", *CODE),
    "bandit": ("bandit", "--quiet", "--configfile", "pyproject.toml", "--recursive", *CODE),
}
VULNERABILITIES = ("pip_audit", "--local", "--progress-spinner", "off", "--format", "json")


def vulnerabilities(report: str) -> list[str] | None:
    """A line for each vulnerability in the JSON of pip-audit; None if it could compare no package."""
    try:
        packages = json.loads(report)["dependencies"]
    except ValueError:  # it ended before it printed any: no network
        return None
    if all("skip_reason" in package for package in packages):
        return None
    return [
        f"{package['name']} {package['version']}: {item['id']}, mended in {', '.join(item['fix_versions']) or 'none'}"
        for package in packages
        for item in package.get("vulns", ())
    ]


def _run(*arguments: str, capture: bool = False) -> subprocess.CompletedProcess:
    return subprocess.run([sys.executable, "-m", *arguments], cwd=PROJECT, capture_output=capture, text=True)


def main() -> int:
    """Prints what each check says; returns 1 if any of them found something."""
    failed = False
    for name, command in CHECKS.items():
        clean = _run(*command).returncode == 0
        print(f"{name}: {'clean' if clean else 'see above'}", flush=True)
        failed |= not clean
    lines = vulnerabilities(_run(*VULNERABILITIES, capture=True).stdout)
    if lines is None:
        print("pip-audit: not checked, because no database of vulnerabilities can be reached from here")
    else:
        print("\n".join(["pip-audit: " + (f"{len(lines)} vulnerabilities" if lines else "clean"), *lines]))
    return int(failed or bool(lines))


if __name__ == "__main__":
    sys.exit(main())
