"""`show_patching(...)`: which part of a model carries the difference between two texts, in a notebook, in one line.

from viz_core import show_patching
show_patching("imdb/small", "The film is good.", "The film is not good.")
"""

from dataclasses import dataclass
from typing import Literal

import pandas as pd

from viz_core.analysis.explain import encode
from viz_core.analysis.patching.next_word import CROSS, contrast_of
from viz_core.analysis.patching.patch import patch_all
from viz_core.analysis.patching.paths import trace_paths
from viz_core.commands.changing import parse_head
from viz_core.explorer.standalone import notebook
from viz_core.notebook import Document, Mode, find_model, translator_of
from viz_core.records import SITES, Failure, Site
from viz_core.rendering.export import standalone_html
from viz_core.rendering.patching import patching_map
from viz_core.rendering.patching_paths import paths_map
from viz_core.rendering.theme import theme
from viz_core.tables.patching import patching_table, paths_table

_MARGIN = 56  # px around the figure


@dataclass(frozen=True, eq=False)
class Patched(Document):
    """A map of effects; a notebook draws it where it is the last line of a cell.

    Attributes:
        table: The effects: a row per layer, a column per token or head; of paths, a row per later head and input.
        document: Complete HTML.
        height: Height in px.
    """

    table: pd.DataFrame
    height: int

    def _repr_html_(self) -> str:
        return notebook(self.document, self.height)

    def __repr__(self) -> str:
        return repr(self.table)


def show_patching(
    what: object,
    *inputs: object,
    site: Site | Literal["cross"] = "residual",
    sender: str | None = None,
    language: str | None = None,
    mode: Mode = "light",
    accept_large: bool = False,
) -> Patched:
    """Put numbers of a source into the run of a target, part by part.

    Args:
        what: A model, as for `show`.
        inputs: Source and target, after the tokenizer if there is one; a pair of sentences is a tuple of two.
        site: The part: `residual`, `attention`, `feedforward` or `heads`, of a translation those of the encoder;
            `cross`: heads of the cross-attention.
        sender: A head, as `1.2`: show what it feeds instead of a site.
        language: `en` or `zh`, by default that of the system.
        mode: Colour mode.
        accept_large: Also open models that take more than a gigabyte.

    Raises:
        ValueError: If this cannot be shown, with a sentence.
    """
    say, colours = translator_of(language), theme(mode)
    try:
        checkpoint, texts = find_model(what, inputs, accept_large)
        source, target = (encode(checkpoint, *_sentences(text)) for text in _two(texts))
        is_cross = site == CROSS and sender is None
        model, found = contrast_of(checkpoint, source, target, CROSS if is_cross else "self")
        if sender is None:
            part = _part(site)
            patching = patch_all(model, found, [part])
            figure = patching_map(patching, part, say, colours, f"patching.title_{site}")
            table = patching_table(patching, part)
        else:
            paths = trace_paths(model, found, parse_head(sender))
            figure, table = paths_map(paths, say, colours), paths_table(paths)
    except Failure as failure:
        raise ValueError(say(failure.message)) from None
    document = standalone_html(figure, figure.layout.title.text, colours)
    return Patched(document, table, round(figure.layout.height) + _MARGIN)


def _part(site: str) -> Site:
    """The site of a name.

    Raises:
        Failure: If there is none.
    """
    parts: dict[str, Site] = {**{name: name for name in SITES}, CROSS: "heads"}
    if site not in parts:
        raise Failure("notebook.no_site", site=site, sites=list(parts))
    return parts[site]


def _two(texts: tuple) -> tuple:
    if len(texts) != 2:
        raise Failure("notebook.no_two_texts", count=len(texts))
    return texts


def _sentences(text: object) -> tuple[str, ...]:
    """The sentences of a text.

    Raises:
        Failure: If it is neither a string nor a tuple of two.
    """
    match text:
        case str():
            return (text,)
        case (str() as first, str() as second):
            return first, second
    raise Failure("notebook.no_text", types=type(text).__name__)
