"""`show(...)`: the explorer of an input in a notebook (Jupyter, Colab, VS Code), in one line.

    from viz_core import show
    show("imdb/small", "Not bad at all.")

The output is an iframe that contains the whole document (explorer/standalone.py). It loads nothing
and asks no kernel, and scripts and styles of the notebook and of the explorer do not reach each
other. The frames in which Colab and VS Code show outputs need no more. Colab has a sandbox for each
cell (https://colab.research.google.com/notebooks/snippets/advanced_outputs.ipynb). VS Code has one
for a notebook, with a Content-Security-Policy that lets scripts of the page run, if it is told so
(microsoft/vscode,
src/vs/workbench/contrib/notebook/browser/view/renderers/backLayerWebView.ts).
"""

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np

from viz_core import checkpoints
from viz_core.adapters.opening import LargeModel, open_model
from viz_core.adapters.references import is_adaptable, is_reference, library_lock
from viz_core.analysis.explain import explain
from viz_core.analysis.heads.statistics import head_statistics, translation_statistics
from viz_core.analysis.translation.live import translate_text
from viz_core.analysis.value_norms import has_value_norms, value_norms
from viz_core.checkpoints import Checkpoint
from viz_core.commands.drawing import save_document
from viz_core.commands.output import index_of
from viz_core.evidence.head_names import given_names
from viz_core.explorer.standalone import MOST_WEIGHTS, notebook, standalone_explorer, standalone_translation
from viz_core.jobs.run_folder import folder
from viz_core.language import Translator, closest_language
from viz_core.records import Explanation, Failure, HeadWeights, Translation
from viz_core.records.translation import Kind
from viz_core.rendering.theme import theme
from viz_core.tasks import CLASSIFICATION, LANGUAGE_MODEL, TRANSLATION, OfKind, own

HEIGHT = 1050  # px; height of the views of a sentence at the width of a notebook
MARGIN = 8  # px; two columns fit into 912
LARGE = 5_000_000  # bytes that make a notebook slow to save; a remark below the views says so
Mode = Literal["light", "dark"]
# For each kind of task: a function from a model and one or two texts to what is shown, and the norms of its values if
# they are not part of it.
Reader = Callable[..., tuple[Explanation | Translation, np.ndarray | None]]


@dataclass(frozen=True)
class Document:
    """What a notebook draws, as complete HTML."""

    document: str

    def save(self, file: str) -> None:
        """Write the document into an `.html` file, which opens in any browser, offline.

        Raises:
            ValueError: If it cannot be written there.
        """
        try:
            save_document(self.document, file)
        except Failure as failure:
            raise ValueError(translator_of(None)(failure.message)) from None


@dataclass(frozen=True)
class Explorer(Document):
    """The explorer of an input; a notebook draws it where it is the last line of a cell.

    Attributes:
        document: Complete HTML.
        height: Height in px.
        summary: What it holds, and how large it is.
        remark: A sentence below the views; empty if there is nothing to say.
    """

    height: int
    summary: str
    remark: str

    def _repr_html_(self) -> str:
        return notebook(self.document, self.height) + (f"<p><small>{self.remark}</small></p>" if self.remark else "")

    def __repr__(self) -> str:
        return self.summary


def show(
    what: object,
    *inputs: object,
    text_b: str | None = None,
    layer: int | None = None,
    head: int | None = None,
    language: str | None = None,
    mode: Mode | None = None,
    height: int = HEIGHT,
    accept_large: bool = False,
) -> Explorer:
    """The explorer of one input: every layer and head, the prediction, and the text.

        show("imdb/small", "Not bad at all.")        a model that ships with the project or was saved on this machine
        show("hf:google-bert/bert-base-uncased", …)  one from elsewhere, or `path:` and a folder (viz_core/adapters/)
        show(model, tokenizer, "a cat", "a dog")     one of transformers, with one text or two
        show(checkpoint, "花呗怎么还款", "花呗如何还钱")    a loaded one; for a translation the second is a reference
        show(explanation)                            the result of `explain`, or a Translation

    Args:
        what: What to show, as above.
        inputs: The texts, after the tokenizer if there is one.
        text_b: The second text, if it is not among the inputs.
        layer: Layer shown first, from 1; by default the first.
        head: Head shown first, from 1; by default the first.
        language: `en` or `zh`, by default that of the system.
        mode: Colour mode, by default that of the reader's browser.
        height: Height in px.
        accept_large: Also open models that take more than a gigabyte.

    Raises:
        ValueError: If this cannot be shown, with a sentence.
    """
    say = translator_of(language)
    try:
        record, norms = _read(what, inputs, text_b, accept_large)
        return _explorer(record, norms, layer, head, say, mode, height)
    except LargeModel as failure:
        raise ValueError(say("notebook.large_model", reason=failure.message)) from None
    except Failure as failure:
        raise ValueError(say(failure.message)) from None


def translator_of(language: str | None) -> Translator:
    """The translator into a language, by default into that of the system."""
    return Translator(language or closest_language(os.environ.get("LANG")))


def _read(
    what: object, inputs: tuple, text_b: str | None, accept_large: bool
) -> tuple[Explanation | Translation, np.ndarray | None]:
    """What to show, and the norms of its values if they are not part of it.

    Raises:
        Failure: If there is no text, or an explanation comes with one.
    """
    if isinstance(what, (Explanation, Translation)):
        if inputs or text_b is not None:
            raise Failure("notebook.already_explained")
        return what, None
    checkpoint, texts = find_model(what, inputs, accept_large)
    texts = (*texts, *(() if text_b is None else (text_b,)))
    if not 1 <= len(texts) <= 2 or not all(isinstance(text, str) for text in texts):
        raise Failure("notebook.no_text", types=[type(text).__name__ for text in texts] or "–")
    return _READERS.of(checkpoint.task.name)(checkpoint, *texts)


def find_model(what: object, inputs: tuple, accept_large: bool) -> tuple[Checkpoint, tuple]:
    """The model, and the inputs that are texts.

    Raises:
        Failure: If there is no model or no tokenizer.
    """
    if isinstance(what, Checkpoint):
        return what, inputs
    if isinstance(what, str):
        return _load(what, accept_large), inputs
    if not is_adaptable(what):
        raise Failure("notebook.no_model", type=type(what).__name__)
    if not inputs or isinstance(inputs[0], str):
        raise Failure("notebook.no_tokenizer")
    with library_lock:
        from viz_core.adapters.checkpoint import adapt  # loads transformers, which such a model needs anyway

    return adapt(what, inputs[0]), inputs[1:]


def _load(reference: str, accept_large: bool) -> Checkpoint:
    if is_reference(reference):
        return open_model(reference, accept_large)
    task, slash, name = reference.partition("/")
    if not slash:
        raise Failure("notebook.no_reference", reference=reference)
    return checkpoints.load(own.resolve(task), name)


def _read_explanation(checkpoint: Checkpoint, *texts: str) -> tuple[Explanation, np.ndarray | None]:
    checkpoint.require_attention()
    explanation = explain(checkpoint, *texts)
    return explanation, value_norms(checkpoint, explanation.encoding) if has_value_norms(checkpoint) else None


def _read_translation(checkpoint: Checkpoint, text: str, reference: str | None = None) -> tuple[Translation, None]:
    return translate_text(checkpoint, text, reference), None


_READERS: OfKind[Reader] = OfKind()
register_reader = _READERS.register
register_reader(CLASSIFICATION, _read_explanation)
register_reader(LANGUAGE_MODEL, _read_explanation)
register_reader(TRANSLATION, _read_translation)


def _explorer(
    record: Explanation | Translation,
    norms: np.ndarray | None,
    layer: int | None,
    head: int | None,
    say: Translator,
    mode: Mode | None,
    height: int,
) -> Explorer:
    """Build the explorer.

    Raises:
        Failure: For a layer or head that does not exist, and for more weights than a browser opens.
    """
    attention: Mapping[Kind, HeadWeights]
    attention = {"self": record.attention} if isinstance(record, Explanation) else record.attention
    layers, heads, tokens = attention["self"].shape[:3]
    if not layers:
        raise Failure("notebook.no_attention", model=record.model)
    count = sum(np.count_nonzero(layer) for weights in attention.values() for layer in weights)
    if count > MOST_WEIGHTS:
        megabytes = _megabytes(0.75 * count)
        raise Failure("notebook.too_large", layers=layers, heads=heads, tokens=tokens, megabytes=megabytes)
    index_of("layer", layer, layers)  # raises a Failure if there is no such layer
    index_of("head", head, heads)
    selection = {"head": f"{layer or 1}.{head or 1}"}
    colours, dark = theme(mode or "light"), None if mode else theme("dark")
    names = given_names(folder(), f"{record.task}/{record.model}")
    if isinstance(record, Explanation):
        shown = head_statistics(record)
        document = standalone_explorer(record, shown, say, colours, selection, norms, dark, MARGIN, names=names)
    else:
        statistics = {kind: translation_statistics(record, kind) for kind in attention}
        document = standalone_translation(record, statistics, say, colours, selection, dark, MARGIN, names=names)
    size = len(document.encode())
    values = dict(layers=layers, heads=heads, tokens=tokens, megabytes=_megabytes(size))
    remark = say("notebook.large", megabytes=_megabytes(size)) if size > LARGE else ""
    return Explorer(document, height, say("notebook.summary", **values), remark)


def _megabytes(size: float) -> str:
    return f"{size / 1e6:.1f}" if size < 10e6 else f"{size / 1e6:.0f}"
