"""The logit lens: apply the last normalisation and the classifier after every layer.

nostalgebraist 2020, "interpreting GPT: the logit lens",
https://www.lesswrong.com/posts/AcKRB8wDpdaN6v6ru/interpreting-gpt-the-logit-lens. It works as far
as all layers write into one residual stream. The classifier was trained for the last layer alone:
what it makes of an earlier one may be wrong, although the layer holds what is needed (Belrose et
al. 2023, "Eliciting Latent Predictions from Transformers with the Tuned Lens", section 2,
https://arxiv.org/abs/2303.08112).

Shapes: L layers, T tokens, D model width, C classes or tokens of the vocabulary.
"""

import torch
from torch import Tensor

from viz_core.analysis.decoding import log_probabilities
from viz_core.analysis.explain import input_tensors, likeliest_tokens, token_names
from viz_core.analysis.inside.passes import find_anatomy, numbers, predicts_tokens, translation_tensors
from viz_core.checkpoints import Checkpoint
from viz_core.models.anatomy import Anatomy
from viz_core.models.protocol import AttentionKind
from viz_core.models.recording import record
from viz_core.records import Encoding, Failure, Translation, show_whitespace
from viz_core.records.inside import ClassLens, TokenLens

CLASSES = 5  # shown of a vocabulary


@torch.no_grad()
def class_lens(checkpoint: Checkpoint, encoding: Encoding) -> ClassLens:
    """Class probabilities of an input after every layer; the likeliest CLASSES for a next-token model.

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
    pooled = rows.mean(1) if anatomy.pooling == "mean" else rows[:, -1 if anatomy.pooling == "last" else 0]
    logits = numbers(anatomy.classify(pooled))  # (L + 1, C)
    probabilities, labels = checkpoint.settings.probabilities(logits), checkpoint.task.labels
    if predicts_tokens(anatomy):
        ids = likeliest_tokens(probabilities[-1])[:CLASSES]
        labels, logits, probabilities = token_names(checkpoint, ids), logits[:, ids], probabilities[:, ids]
    return ClassLens(labels, logits, probabilities)


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
    encoder = checkpoint.text_encoder
    return TokenLens(
        read=translation.target.labels,
        outputs=translation.outputs,
        likeliest=tuple(tuple(show_whitespace(encoder.token(i)) for i in row) for row in chances.argmax(-1).tolist()),
        probabilities=of_output[..., 0].exp().numpy(),
        ranks=1 + (chances > of_output).sum(-1).numpy(),
    )


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
