"""The logit lens: apply the last normalisation and the classifier after every layer.

nostalgebraist 2020, "interpreting GPT: the logit lens",
https://www.lesswrong.com/posts/AcKRB8wDpdaN6v6ru/interpreting-gpt-the-logit-lens. It works as far
as all layers write into one residual stream. The classifier was trained for the last layer alone:
what it makes of an earlier one may be wrong, although the layer holds what is needed (Belrose et
al. 2023, "Eliciting Latent Predictions from Transformers with the Tuned Lens", section 2,
https://arxiv.org/abs/2303.08112).

Shapes: L layers, T tokens, D model width, C classes or tokens of the vocabulary.
"""

from functools import partial

import numpy as np
import torch
from torch import Tensor

from viz_core.analysis.decoding import log_probabilities, special_ids
from viz_core.analysis.explain import input_tensors
from viz_core.analysis.inside.passes import find_anatomy, numbers, translation_tensors
from viz_core.analysis.read_out import logit_factor, record_tokens, require_read_out, residual_streams
from viz_core.checkpoints import Checkpoint
from viz_core.models.anatomy import Anatomy
from viz_core.models.protocol import AttentionKind
from viz_core.models.recording import record
from viz_core.records import Encoding, Failure, Translation, show_whitespace
from viz_core.records.inside import ClassLens, TokenLens


@torch.no_grad()
def class_lens(checkpoint: Checkpoint, encoding: Encoding) -> ClassLens:
    """Class probabilities of an input after every layer.

    After each layer, the classifier's input is pooled as after the last. A pre-norm model
    normalises its residual stream before the classifier, here after every layer; a post-norm model
    has done so at the end of each layer.

    Raises:
        Failure: For a model that is not a Transformer, or has no classifier.
    """
    anatomy = find_anatomy(checkpoint)
    if anatomy is None or anatomy.pooling is None:
        raise _no_layers(checkpoint)
    if anatomy.classifier is None:
        raise Failure("lens.no_classifier", name=checkpoint.name)
    (kind,) = checkpoint.model.attention_kinds
    rows = _normalised_streams(checkpoint, anatomy, input_tensors(encoding), kind)  # (L + 1, T, D)
    logits = numbers(anatomy.classify(rows.mean(1) if anatomy.pooling == "mean" else rows[:, 0]))  # (L + 1, C)
    return ClassLens(checkpoint.task.labels, logits, checkpoint.settings.probabilities(logits))


@torch.inference_mode()
def text_lens(checkpoint: Checkpoint, encoding: Encoding, start: int = 0, count: int | None = None) -> TokenLens:
    """Next token at some positions of a text that a language model reads, after each layer.

    The output is the token that follows in the text; at its end, the likeliest one.

    Args:
        start: First position, from 0.
        count: Number of positions, by default all that are left.

    Raises:
        Failure: If what the layers write is not simply added up, or the logits are changed after
            the output layer.
    """
    read_out, layers, ids = require_read_out(checkpoint), checkpoint.model.config.layers, encoding.ids
    places = range(len(ids))[start:][:count]
    kept, logits = record_tokens(checkpoint, encoding, [*places, len(ids) - 1], {"residual_before"})
    streams = residual_streams(kept, layers)  # (L + 1, N + 1, D), the last position once more
    factor = logit_factor(checkpoint, read_out.logits(streams[-1, -1]), logits)
    vocabulary = special_ids(checkpoint.model)
    # Layer by layer: a vocabulary of 150,000 takes 8 MB for 14 positions.
    chances = (log_probabilities(factor * read_out.logits(stream), vocabulary) for stream in streams[:, :-1])
    last = int(log_probabilities(logits, vocabulary).argmax())
    outputs = torch.tensor([*ids[1:].tolist(), last])[list(places)]
    rows = [(row.argmax(-1), row.gather(-1, outputs[:, None]), row) for row in map(Tensor.cpu, chances)]
    name = partial(_name, checkpoint)
    return TokenLens(
        read=tuple(encoding.labels[place] for place in places),
        outputs=tuple(map(name, outputs.tolist())),
        likeliest=tuple(tuple(map(name, likeliest.tolist())) for likeliest, *_ in rows),
        probabilities=np.stack([of_output[:, 0].exp().numpy() for _, of_output, _ in rows]),
        ranks=np.stack([1 + (row > of_output).sum(-1).numpy() for _, of_output, row in rows]),
        start=start,
        positions=len(ids),
    )


@torch.no_grad()
def token_lens(checkpoint: Checkpoint, translation: Translation) -> TokenLens:
    """Next token at every position of a translation, after each layer of the decoder.

    Raises:
        Failure: As `class_lens`.
    """
    anatomy = find_anatomy(checkpoint)
    if anatomy is None or anatomy.pooling is not None:
        raise _no_layers(checkpoint)
    rows = _normalised_streams(checkpoint, anatomy, translation_tensors(translation), "causal")  # (L + 1, T, D)
    chances = log_probabilities(anatomy.classify(rows))  # (L + 1, T, C)
    outputs = torch.tensor([step.output.id for step in translation.steps])
    of_output = chances.gather(-1, outputs.expand(len(rows), -1)[..., None])  # (L + 1, T, 1)
    name = partial(_name, checkpoint)
    return TokenLens(
        read=translation.target.labels,
        outputs=translation.outputs,
        likeliest=tuple(tuple(map(name, row)) for row in chances.argmax(-1).tolist()),
        probabilities=of_output[..., 0].exp().numpy(),
        ranks=1 + (chances > of_output).sum(-1).numpy(),
        start=0,
        positions=len(outputs),
    )


def _name(checkpoint: Checkpoint, token: int) -> str:
    return show_whitespace(checkpoint.text_encoder.token(token))


def _normalised_streams(
    checkpoint: Checkpoint, anatomy: Anatomy, inputs: tuple[Tensor, ...], kind: AttentionKind
) -> Tensor:
    """Residual stream of a stack before its first layer and after each, as the classifier would read it."""
    recorded, stack = record(checkpoint.model, inputs, {"residual_before", "residual_after"}), anatomy.stack(kind)
    after = [recorded["residual_after", layer, kind][0] for layer in range(len(stack.layers))]
    streams = torch.stack([recorded["residual_before", 0, kind][0], *after])
    return stack.final_norm(streams) if stack.final_norm else streams


def _no_layers(checkpoint: Checkpoint) -> Failure:
    return Failure("lens.no_layers", name=f"{checkpoint.task.name}/{checkpoint.name}")
