"""Views of the command `figure` that need the model itself: the logit lens, queries and keys in a plane, word order. Of
a model from elsewhere they need one of our encoders that computes the same."""

import plotly.graph_objects as go

from viz_core.analysis.evaluation.word_order import order_effects
from viz_core.analysis.inside.logit_lens import class_lens, token_lens
from viz_core.analysis.inside.query_key_plane import query_key_plane
from viz_core.checkpoints import Checkpoint
from viz_core.language import Translator
from viz_core.records import Explanation, Failure, Translation, tracked_class
from viz_core.rendering.logit_lens import class_lines, token_cells
from viz_core.rendering.query_key_plane import query_key_scatter
from viz_core.rendering.theme import Theme
from viz_core.rendering.word_order import order_attention, order_probabilities

LENS, PLANE, ORDER, ORDER_ATTENTION = INSIDE_VIEWS = ("lens", "plane", "order", "order_attention")


def draw_inside(
    view: str,
    checkpoint: Checkpoint,
    explanation: Explanation,
    layer: int | None,
    head: int | None,
    say: Translator,
    theme: Theme,
) -> go.Figure:
    """One of INSIDE_VIEWS. layer, head: of the plane, from 0, by default the first. Raises Failure for a model that has
    not what the view shows."""
    encoding = explanation.encoding
    if view == LENS:
        return class_lines(class_lens(checkpoint, encoding), say, theme)
    if view == PLANE:
        plane = query_key_plane(checkpoint, [encoding], layer or 0, head or 0)
        return query_key_scatter(plane, "side", say, theme)
    effects = order_effects(checkpoint, encoding)
    if view == ORDER_ATTENTION:
        return order_attention(effects, say, theme)
    if not effects.labels:
        raise Failure("lens.no_classifier", name=checkpoint.name)
    return order_probabilities(effects, tracked_class(effects.probabilities["original"][0]), say, theme)


def draw_translation_lens(checkpoint: Checkpoint, translation: Translation, say: Translator, theme: Theme) -> go.Figure:
    """The logit lens of the decoder."""
    return token_cells(token_lens(checkpoint, translation), say, theme)
