"""The machine and the software versions of a measurement."""

from __future__ import annotations

import os
import platform
from datetime import date
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from benchmarks.chromium import chromium

PACKAGES = ("torch", "streamlit", "bertviz")


def load() -> float | None:
    """The load average of the last minute; None if the system has none."""
    return os.getloadavg()[0] if hasattr(os, "getloadavg") else None


def describe(load_before: float | None, with_browser: bool) -> str:
    """A sentence. load_before: `load()` before the first measurement. with_browser: whether Chromium was used."""
    packages = ", ".join(filter(None, map(_version, PACKAGES)))
    busy = "" if load_before is None else f" (load before the run: {load_before:.1f})"
    return (
        f"Measured on {date.today()}: {_processor()}, {os.cpu_count()} cores, {platform.system()}{busy}; "
        f"{_browser() if with_browser else ''}Python {platform.python_version()}, {packages}."
    )


def _browser() -> str:
    with chromium() as browser:
        return f"Chromium {browser.version}, headless, drawing without a GPU; "


def _version(package: str) -> str | None:
    try:
        return f"{package} {version(package)}"
    except PackageNotFoundError:  # bertviz, unless installed by `make bench`
        return None


def _processor() -> str:
    file = Path("/proc/cpuinfo")
    lines = file.read_text().splitlines() if file.exists() else []
    names = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or platform.machine()
