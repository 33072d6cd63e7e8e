"""What a language model from elsewhere costs, beside the library alone: tokens per second, a key, memory, a document.

`python -m benchmarks --only language_model` prints the section of the report. The model is SmolLM2-135M where its
package is installed (tests/smollm2.txt), else a random one of the same sizes.
"""

import multiprocessing
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from threading import Event, Thread
from time import process_time

import psutil
import torch
from transformers import AutoModelForCausalLM, LlamaConfig, LlamaForCausalLM, PreTrainedModel
from transformers.generation.streamers import BaseStreamer
from transformers.utils import logging

from benchmarks import machine
from benchmarks.inputs import shuffled_reviews
from benchmarks.tables import MB, milliseconds, row, size
from pages.routes import generate
from tests.adapters.smollm2 import is_installed, read_smollm2
from tests.adapters.tiny_networks import byte_pairs
from viz_core import show
from viz_core.adapters.folder import read_folder
from viz_core.adapters.loading import load_folder
from viz_core.analysis.context import read_on, written_text
from viz_core.analysis.decoding import Decoding
from viz_core.analysis.explain import explain
from viz_core.analysis.generation import continue_text
from viz_core.checkpoints import Checkpoint
from viz_core.language import Translator
from viz_core.records import Step

# Sizes of SmolLM2-135M: 30 layers of 9 heads, 3 of keys and values.
SIZES = dict(
    vocab_size=49_152,
    hidden_size=576,
    intermediate_size=1_536,
    num_hidden_layers=30,
    num_attention_heads=9,
    num_key_value_heads=3,
    max_position_embeddings=8_192,
    tie_word_embeddings=True,
    bos_token_id=0,
    eos_token_id=None,
)
READ, WRITTEN, QUICK_WRITTEN = 64, 128, 8  # tokens
TYPED, LONGEST = 256, 512  # tokens of the text with a key at its end, and of the longest
WITH_ATTENTION, WITHOUT = 0.8, 1.0  # of the tokens per second of the library, at least
KEY = 100  # milliseconds besides a forward pass
SPARE, DOCUMENT = 1.25, 25 * MB
ROUNDS, QUICK_ROUNDS, KEYS, QUICK_KEYS = 5, 1, 20, 2


def report(quick: bool = False) -> str:
    """The section of the report, as Markdown."""
    torch.set_num_threads(1)
    logging.disable_progress_bar()
    load = machine.load()
    with TemporaryDirectory() as folder:
        name = _save(Path(folder))
        peak, allowed = _memory(folder)
        checkpoint = load_folder(read_folder(Path(folder)), "language model")
        speed = _speed(folder, checkpoint, QUICK_WRITTEN if quick else WRITTEN, QUICK_ROUNDS if quick else ROUNDS)
        rows = [
            *_key_rows(checkpoint, QUICK_KEYS if quick else KEYS),
            row(f"open, {LONGEST} tokens explained, a text continued: memory", [[peak]], allowed, size),
            row(f"one HTML file, {LONGEST} tokens × 270 heads", [[_document_bytes(checkpoint)]], DOCUMENT, size),
        ]
    body = "\n".join(rows)
    return f"""## Language models from elsewhere

{speed}

| | target | reached | largest | |
|---|---|---|---|---|
{body}

The model: {name}, in 32 bits. *Tokens per second* count from the first token written to the last, after a text of
{READ} tokens, greedy, with the library's cache of keys and values; ratios are medians of the rounds, in which all take
turns. *Everything* has the attention of all heads in one more pass, as the explorer needs it. A *key* is what the
server computes: the tokens that differ, what was expected at each of {TYPED}, candidates, and the bytes of all this.
Its target is the forward pass of a token and {KEY} ms. *Memory* is the peak of the process above that with all its
libraries, pages of files not counted; its target the weights, a quarter more, and the attention of the text.
Times are processor time, which other work on the machine disturbs less.
{machine.conditions(load, torch.get_num_threads())}"""


def _save(folder: Path) -> str:
    """Save the model; return its name."""
    if is_installed():
        network, tokenizer = read_smollm2()
        name = "SmolLM2-135M-Instruct, 30 × 9 heads"
    else:
        torch.manual_seed(0)
        network, tokenizer = LlamaForCausalLM(LlamaConfig(**SIZES)), byte_pairs(max_tokens=LONGEST)
        name = "a random Llama of the sizes of SmolLM2-135M, 30 × 9 heads"
    network.generation_config.eos_token_id = None  # the number of tokens ends a text
    network.to(torch.bfloat16).save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return name


def _text(checkpoint: Checkpoint, tokens: int) -> str:
    """Reviews, cut to a number of tokens.

    Raises:
        ValueError: If the reviews are too short.
    """
    text = " ".join(shuffled_reviews(str(seed)) for seed in range(2))
    encoding = checkpoint.text_encoder.encode(text)
    if len(encoding.ids) < tokens:
        raise ValueError(f"the text has {len(encoding.ids)} tokens, not {tokens}")
    return text[: encoding.offsets[:tokens, 1].max()]  # the last may be a marker


def _speed(folder: str, checkpoint: Checkpoint, written: int, rounds: int) -> str:
    """The table of tokens per second.

    Raises:
        ValueError: If not all write the same.
    """
    library = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32, attn_implementation="eager").eval()
    text = _text(checkpoint, READ)
    runs: dict[str, Callable[[], tuple[float, list[int]]]] = {
        "transformers, `generate`": lambda: _library(library, checkpoint, text, written, False),
        "transformers, `output_attentions=True`": lambda: _library(library, checkpoint, text, written, True),
        "ours, as the page writes": lambda: _page(checkpoint, text, written),
        "ours, everything": lambda: _everything(checkpoint, text, written),
    }
    seconds: dict[str, list[float]] = {name: [] for name in runs}
    for number in range(rounds + 1):
        results = {name: run() for name, run in runs.items()}
        if len({tuple(tokens) for _, tokens in results.values()}) > 1:
            raise ValueError(f"not all wrote the same: {results}")
        if number:  # the first warms up
            for name, (elapsed, _) in results.items():
                seconds[name].append(elapsed)
    plain, with_attention = (seconds[name] for name in list(runs)[:2])
    targets = {"ours, as the page writes": WITHOUT, "ours, everything": WITH_ATTENTION}
    rows = [
        f"| {name} | {(written - 1) / median(values):.1f} | "
        + " | ".join([_target(_ratio(plain, values), targets.get(name)), f"{_ratio(with_attention, values):.2f} ×"])
        + f" | {f'≥ {targets[name]} ×' if name in targets else ''} |"
        for name, values in seconds.items()
    ]
    header = "| | tokens per second | of `generate` | of `output_attentions=True` | target |\n|---|---|---|---|---|"
    return "\n".join([header, *rows])


def _ratio(theirs: list[float], ours: list[float]) -> float:
    return median(their / our for their, our in zip(theirs, ours, strict=True))


def _target(ratio: float, least: float | None) -> str:
    text = f"{ratio:.2f} ×"
    return f"**{text}, missed**" if least and ratio < least else text


class _Clock(BaseStreamer):
    """Notes when the library has written each token."""

    def __init__(self) -> None:
        self.times: list[float] = []

    def put(self, value: torch.Tensor) -> None:
        self.times.append(process_time())

    def end(self) -> None:
        pass


@torch.inference_mode()
def _library(
    network: PreTrainedModel, checkpoint: Checkpoint, text: str, written: int, attention: bool
) -> tuple[float, list[int]]:
    ids, clock = torch.from_numpy(checkpoint.text_encoder.encode(text).ids)[None].long(), _Clock()
    result = network.generate(
        ids,
        attention_mask=torch.ones_like(ids),
        max_new_tokens=written,
        do_sample=False,
        use_cache=True,
        output_attentions=attention,
        return_dict_in_generate=True,
        streamer=clock,
    )
    _, first, *_, last = clock.times  # before them the text itself
    return last - first, result.sequences[0, ids.shape[1] :].tolist()


def _page(checkpoint: Checkpoint, text: str, written: int) -> tuple[float, list[int]]:
    context, times = None, []
    encoding, given = written_text(checkpoint, text, ())
    contexts = generate._contexts
    contexts.pop(checkpoint, None)
    fields = generate.read_request({"text": text, "most": written, "visit": "bench"})
    for _ in generate._frames(checkpoint, encoding, [0] * given, len(text), fields, "bench", Translator("en")):
        times.append(process_time())
    context = contexts[checkpoint]["bench"]
    _, first, *_, last, _, _ = times  # before them what was read; behind them the candidates and the end
    return last - first, list(context.ids[given:])


def _everything(checkpoint: Checkpoint, text: str, written: int) -> tuple[float, list[int]]:
    events, times = [], []
    for event in continue_text(checkpoint, text, Decoding(), written):
        events.append(event)
        times.append(process_time())
    return times[-1] - times[0], [event.output.id for event in events if isinstance(event, Step)]


def _key_rows(checkpoint: Checkpoint, keys: int) -> Iterator[str]:
    """A key at the end of a text; the forward pass of a token; the same key in the explorer, which reads all anew."""
    text, say, model = _text(checkpoint, TYPED), Translator("en"), checkpoint.language_model
    state = read_on(checkpoint, checkpoint.text_encoder.encode(text).ids.tolist()).state
    typed, passes, explained = [], [], []
    for number in range(keys + 1):
        for characters in (text, f"{text} {number % 10}"):  # the text before the key is read again, and not counted
            start = process_time()
            encoding, given = written_text(checkpoint, characters, ())
            fields = generate.read_request({"text": characters, "visit": "keys"})
            for _ in generate._frames(checkpoint, encoding, [0] * given, len(characters), fields, "keys", say):
                pass
        typed.append((process_time() - start) * 1000)
        start = process_time()
        with torch.inference_mode():
            model.advance(state, torch.tensor([5]))
        passes.append((process_time() - start) * 1000)
    for _ in range(3):
        start = process_time()
        explain(checkpoint, text)
        explained.append((process_time() - start) * 1000)
    one = median(passes[1:])
    yield row(f"a key at the end of {TYPED} tokens: everything computed", [typed[1:]], one + KEY, milliseconds)
    yield row("the forward pass of a token", [passes[1:]], None, milliseconds)
    yield row(f"all {TYPED} tokens with all attention, as in the explorer", [explained[1:]], None, milliseconds)


def _document_bytes(checkpoint: Checkpoint) -> int:
    return len(show(checkpoint, _text(checkpoint, LONGEST), language="en", mode="light").document.encode())


def _memory(folder: str) -> tuple[int, int]:
    """Peak of a process of its own, and its target, in bytes."""
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        return pool.apply(_opened_and_used, (folder,))


def _opened_and_used(folder: str) -> tuple[int, int]:
    with _peak() as peak:
        summary = read_folder(Path(folder))
        checkpoint = load_folder(summary, "language model")
        explanation = explain(checkpoint, _text(checkpoint, LONGEST))
        list(continue_text(checkpoint, _text(checkpoint, READ), Decoding(), QUICK_WRITTEN))
    weights = 4 * checkpoint.model.config.parameters()
    return peak[0], int(SPARE * weights) + explanation.attention.nbytes


@contextmanager
def _peak() -> Iterator[list[int]]:
    """The largest anonymous memory of this process within, in bytes, above that at the beginning."""
    process, ended, peak = psutil.Process(), Event(), [0]

    def anonymous() -> int:
        memory = process.memory_info()
        return memory.rss - memory.shared

    before = anonymous()

    def watch() -> None:
        while not ended.wait(0.002):
            peak[0] = max(peak[0], anonymous() - before)

    thread = Thread(target=watch)
    thread.start()
    try:
        yield peak
    finally:
        ended.set()
        thread.join()
