"""`show_heads(...)`: which heads of a model to look at, in a notebook, in one line.

from viz_core import show_heads
show_heads("afqmc/small")
"""

from dataclasses import dataclass

import pandas as pd

from viz_core import checkpoints
from viz_core.analysis.heads.groups import group_links, head_groups
from viz_core.analysis.verdicts.survey import standouts
from viz_core.checkpoints import Checkpoint
from viz_core.evidence.surveyed import Surveyed, read_importance, read_surveys, survey_own_texts
from viz_core.explorer.standalone import notebook
from viz_core.notebook import Document, Mode, find_model, translator_of
from viz_core.records import ELSEWHERE, Failure, HeadImportance
from viz_core.records.translation import Kind
from viz_core.rendering.atlas import atlas_values, first_choices, head_map, head_scatter
from viz_core.rendering.export import standalone_html
from viz_core.rendering.markup import safe
from viz_core.rendering.theme import theme

HEIGHT = 1200  # px


@dataclass(frozen=True, eq=False)
class Atlas(Document):
    """The atlas of the heads of a model; a notebook draws it where it is the last line of a cell.

    Attributes:
        sentences: What stands out.
        table: A row per head, a column per statistic.
        document: Complete HTML.
    """

    sentences: tuple[str, ...]
    table: pd.DataFrame

    def _repr_html_(self) -> str:
        return notebook(self.document, HEIGHT)

    def __repr__(self) -> str:
        return "\n".join(self.sentences)


def show_heads(
    what: object,
    *inputs: object,
    kind: Kind | None = None,
    x: str | None = None,
    y: str | None = None,
    colour: str | None = None,
    language: str | None = None,
    mode: Mode = "light",
    accept_large: bool = False,
) -> Atlas:
    """The atlas of the heads of a model, from its stored survey; of one from elsewhere over texts of our own.

    Args:
        what: A model, as for `show`.
        inputs: Its tokenizer, for a model of transformers.
        kind: Which attention of a translation; by default the cross-attention.
        x, y, colour: A statistic each, a column of `Atlas.table`.
        language: `en` or `zh`, by default that of the system.
        mode: Colour mode.
        accept_large: Also open models that take more than a gigabyte.

    Raises:
        ValueError: If this cannot be shown, with a sentence.
    """
    say = translator_of(language)
    try:
        checkpoint, _ = find_model(what, (*inputs, "") if inputs else (), accept_large)
        surveyed, importance = _survey(checkpoint)
    except Failure as failure:
        raise ValueError(say(failure.message)) from None
    survey, colours = surveyed.of(kind), theme(mode)
    first = first_choices(survey)
    axes, shade = (x or first[0], y or first[1]), colour or first[2]
    found = [say(standout.message) for standout in standouts(survey, importance)] or [say("heads.nothing")]
    links = group_links(survey.divergence, head_groups(survey.divergence))
    views = [
        f"<ul>{''.join(f'<li>{safe(sentence)}</li>' for sentence in found)}</ul>",
        head_scatter(survey, axes, shade, say, colours, importance, links),
        head_map(survey, shade, say, colours, importance, links),
    ]
    layers, heads = survey.shape
    names = [f"{layer + 1}.{head + 1}" for layer in range(layers) for head in range(heads)]
    table = pd.DataFrame({name: array.ravel() for name, array in atlas_values(survey, importance).items()}, index=names)
    return Atlas(standalone_html(views, say("heads.title"), colours), tuple(found), table)


def _survey(checkpoint: Checkpoint) -> tuple[Surveyed, HeadImportance | None]:
    """The stored survey, or one made now.

    Raises:
        Failure: If a model of a task here has not been surveyed.
    """
    task, name = checkpoint.task.name, checkpoint.name
    if task in ELSEWHERE:
        return survey_own_texts(checkpoint), None
    folder = checkpoints.require_folder(task, name)
    surveyed = read_surveys(folder)
    if surveyed is None:
        raise Failure("heads.not_surveyed", task=task, model=name)
    return surveyed, read_importance(folder)
