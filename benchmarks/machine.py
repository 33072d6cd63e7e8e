"""The machine, its load and the software versions of a measurement."""

import os
import platform
from datetime import date
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

PACKAGES = ("torch", "streamlit", "bertviz", "transformers")


def load() -> float | None:
    """The load average of the last minute; None if the system has none."""
    return os.getloadavg()[0] if hasattr(os, "getloadavg") else None


def conditions(load_before: float | None, *threads: int) -> str:
    """A sentence that belongs to the figures of a part: on how many of torch's threads and under what load they arose.

    load_before: `load()` before the first of them. threads: none where torch has no part in what is timed.
    """
    load_text = "not known" if load_before is None else f"{load_before:.1f}"
    counts = " and ".join(map(str, threads))
    on = f"Measured on {counts} thread{'' if counts == '1' else 's'}. " if threads else ""
    return f"{on}Load average in the minute before, with earlier parts of this run: {load_text}."


def describe(with_browser: bool) -> str:
    """A sentence. with_browser: whether Chromium was used."""
    packages = ", ".join(filter(None, map(_version, PACKAGES)))
    return (
        f"Measured on {date.today()}: {_processor()}, {os.cpu_count()} cores, {platform.system()}; "
        f"{_browser() if with_browser else ''}Python {platform.python_version()}, {packages}."
    )


def _browser() -> str:
    from benchmarks.chromium import chromium  # needs packages that parts without a browser do not

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
