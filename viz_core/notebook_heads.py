"""`show_heads(...)`: which heads of a model to look at, in a notebook, in one line.

from viz_core import show_heads
show_heads("afqmc/small")
"""

from dataclasses import dataclass

import numpy as np
import pandas as pd

from viz_core import checkpoints
from viz_core.analysis.heads.groups import SIMILAR, head_groups
from viz_core.analysis.verdicts.survey import NAMED, head_name, standouts
from viz_core.checkpoints import Checkpoint
from viz_core.evidence.head_names import given_names
from viz_core.evidence.surveyed import Surveyed, read_importance, read_surveys, survey_own_texts
from viz_core.explorer.atlas import atlas_values, pack_atlas, standalone_atlas
from viz_core.explorer.standalone import notebook
from viz_core.jobs.run_folder import folder
from viz_core.notebook import Document, Mode, find_model, translator_of
from viz_core.records import ELSEWHERE, Failure, HeadImportance
from viz_core.records.translation import Kind
from viz_core.rendering.theme import theme

HEIGHT = 900  # px


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
    survey = surveyed.of(kind)
    found = [(say(standout.message), standout.heads[:NAMED]) for standout in standouts(survey, importance)]
    found = found or [(say("heads.nothing"), ())]
    chosen = {choice: name for choice, name in {"x": x, "y": y, "colour": colour}.items() if name}
    values = {"similar": SIMILAR, "inputs": survey.divergence_inputs}
    packed = pack_atlas(
        survey,
        say,
        theme(mode),
        importance=importance,
        groups=head_groups(survey.divergence),
        groups_note=say("heads.groups", **values),
        found=found,
        names=given_names(folder(), f"{checkpoint.task.name}/{checkpoint.name}"),
        chosen=chosen,
    )
    names = [head_name(*head) for head in np.ndindex(*survey.shape)]
    table = pd.DataFrame({name: array.ravel() for name, array in atlas_values(survey, importance).items()}, index=names)
    document = standalone_atlas(packed, say("heads.title"), say, theme(mode))
    return Atlas(document, tuple(sentence for sentence, _ in found), table)


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
