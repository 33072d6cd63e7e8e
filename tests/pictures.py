"""Comparison of pictures with the baselines in `tests/baselines/`.

The comparison is tolerant since hinting of fonts and anti-aliasing vary between machines: both pictures are blurred by
BLUR px, a pixel differs where any channel is more than CHANNEL of 255 apart, up to SHARE of all pixels may differ, and
each side may be up to SLACK px longer or shorter (text wraps alike, yet line heights vary).
A failure leaves the expected and the actual picture and their difference in `tests/failures/` (git-ignored).
`VIZ_UPDATE_BASELINES=1` (or `make baselines`) rewrites the baselines: inspect each before committing it.
"""

import io
import os
from pathlib import Path

import numpy as np
from PIL import Image, ImageFilter

BASELINES, FAILURES = Path(__file__).parent / "baselines", Path(__file__).parent / "failures"
BLUR, CHANNEL, SHARE, SLACK = 1.5, 36, 0.004, 6


def compare(png: bytes, name: str) -> None:
    """Raises AssertionError where the picture differs from the baseline `name`, or there is none."""
    actual, file = Image.open(io.BytesIO(png)).convert("RGB"), BASELINES / f"{name}.png"
    if os.environ.get("VIZ_UPDATE_BASELINES") == "1":
        BASELINES.mkdir(exist_ok=True)
        actual.save(file, optimize=True)
        return
    assert file.exists(), f"no baseline {file.name}: run with VIZ_UPDATE_BASELINES=1, look at it, commit it"
    expected = Image.open(file).convert("RGB")
    share, differing = difference(expected, actual)
    if share <= SHARE and all(abs(a - b) <= SLACK for a, b in zip(expected.size, actual.size, strict=True)):
        return
    FAILURES.mkdir(exist_ok=True)
    for picture, kind in ((expected, "expected"), (actual, "actual"), (differing, "diff")):
        picture.save(FAILURES / f"{name}.{kind}.png")
    raise AssertionError(
        f"{name}: {share:.2%} of the pixels differ (up to {SHARE:.2%} may), "
        f"{expected.size} -> {actual.size}; see {FAILURES}"
    )


def difference(expected: Image.Image, actual: Image.Image) -> tuple[float, Image.Image]:
    """Share of differing pixels in the area that both pictures cover, and a picture of them (white: differs)."""
    size = tuple(min(a, b) for a, b in zip(expected.size, actual.size, strict=True))
    pixels, other_pixels = (
        np.asarray(picture.crop((0, 0, *size)).filter(ImageFilter.GaussianBlur(BLUR)), np.int16)
        for picture in (expected, actual)
    )
    differs = (np.abs(pixels - other_pixels) > CHANNEL).any(axis=-1)
    return float(differs.mean()), Image.fromarray((differs * 255).astype(np.uint8))
