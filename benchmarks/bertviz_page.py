"""BertViz's model view (all heads of all layers) of the same attention in the same browser, for comparison."""

from collections.abc import Sequence

import torch
from torch import Tensor

from benchmarks.libraries import fetch
from benchmarks.notebook_page import Drawing, Limits, Tool, measure
from viz_core.records import Explanation

# A click on a head's thumbnail shows that head at full size, and removes the previous head.
_CHANGE_HEAD = """head =>
  document.querySelectorAll("#vis svg > g > rect:last-of-type")[head].dispatchEvent(new MouseEvent("click"))"""


def bertviz(weights: int) -> Tool:
    """It draws a line for each of the weights."""
    return Tool("BertViz", f'document.getElementsByTagName("line").length >= {weights}', _CHANGE_HEAD)


def model_view_html(layers: Sequence[Tensor], tokens: Sequence[str]) -> str:
    """The page. layers: attention `(1, H, T, T)` each."""
    from bertviz import model_view  # installed by `make bench` only

    return model_view(list(layers), list(tokens), html_action="return").data


def measure_explanation(explanation: Explanation, limits: Limits) -> Drawing:
    """Builds the page of an explanation and opens it in a new browser."""
    fetch()

    def build() -> str:
        layers = [torch.from_numpy(layer.copy())[None] for layer in explanation.attention]
        return model_view_html(layers, explanation.encoding.tokens)

    return measure(bertviz(explanation.attention.size), len(explanation.encoding.tokens), build, limits)
