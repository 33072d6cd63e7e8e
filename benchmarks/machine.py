"""Where and with what the numbers were measured."""

from __future__ import annotations

import os
import platform
from datetime import date
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from benchmarks.chromium import chromium

PACKAGES = ("torch", "streamlit", "bertviz")


def load() -> float | None:
    """How many processes wanted a core in the last minute; None where the system does not say."""
    return os.getloadavg()[0] if hasattr(os, "getloadavg") else None


def described(load_before: float | None, drawing: bool) -> str:
    """One sentence. load_before: `load()` before the first measurement. drawing: whether Chromium took part in them."""
    packages = ", ".join(filter(None, map(_installed, PACKAGES)))
    busy = "" if load_before is None else f" (load before the run: {load_before:.1f})"
    return (
        f"Measured on {date.today()}: {_processor()}, {os.cpu_count()} cores, {platform.system()}{busy}; "
        f"{_browser() if drawing else ''}Python {platform.python_version()}, {packages}."
    )


def _browser() -> str:
    with chromium() as browser:
        return f"Chromium {browser.version}, headless, drawing without a GPU; "


def _installed(package: str) -> str | None:
    try:
        return f"{package} {version(package)}"
    except PackageNotFoundError:  # bertviz, where make bench has not been run
        return None


def _processor() -> str:
    file = Path("/proc/cpuinfo")
    lines = file.read_text().splitlines() if file.exists() else []
    names = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or platform.machine()
