"""The logit lens: the last normalisation and the classifier read off after every layer, not only after the last one.

nostalgebraist 2020, "interpreting GPT: the logit lens",
https://www.lesswrong.com/posts/AcKRB8wDpdaN6v6ru/interpreting-gpt-the-logit-lens. It works as far as all layers write
into one residual stream. The classifier was trained for the last layer alone: what it makes of an earlier one may be
wrong, although the layer holds what is needed (Belrose et al. 2023, "Eliciting Latent Predictions from Transformers
with the Tuned Lens", section 2, https://arxiv.org/abs/2303.08112).

Shapes: L layers, T tokens, D model width, C classes or tokens of the vocabulary.
"""

from __future__ import annotations

import numpy as np
import torch

from viz_core.analysis.inside.classifier_steps import classify
from viz_core.analysis.inside.inside import likeliest_tokens, pooled_position, predicts_tokens
from viz_core.analysis.inside.recorded_pass import record_pass
from viz_core.analysis.inside.steps import linear
from viz_core.analysis.inside.streams import embed, embed_translation, normalise, numbers, run_stack
from viz_core.analysis.translation.explain_translation import log_probabilities, source_tensors
from viz_core.checkpoints import Checkpoint
from viz_core.models.encoder import Encoder
from viz_core.models.encoder_decoder import EncoderDecoder
from viz_core.records import Encoding, Failure, Translation, show_whitespace
from viz_core.records.lens import ClassLens, TokenLens

CLASSES = 5  # of a vocabulary


def class_lens(checkpoint: Checkpoint, encoding: Encoding) -> ClassLens:
    """The classes of an input after every layer, of a model that predicts the next token its CLASSES likeliest. After
    each layer, what the classifier reads is pooled as after the last.

    A pre-norm model normalises its residual stream before the classifier, here after every layer; a post-norm model has
    done so at the end of each layer. Raises Failure for a model that is no Transformer, or has no classifier.
    """
    model = checkpoint.model
    if not isinstance(model, Encoder):
        raise _no_layers(checkpoint)
    if not model.config.classes:
        raise Failure("lens.no_classifier", name=checkpoint.name)
    ids, segments = (torch.from_numpy(np.array(values))[None] for values in (encoding.ids, encoding.segments))
    mask = torch.ones_like(ids, dtype=torch.bool)
    (kind,) = model.attention_kinds
    recorded, _ = record_pass(lambda hook: model(ids, segments, mask, hook=hook).logits, (kind, 0, 0))
    embedded = embed(model.embedding, model.stem, encoding.ids, encoding.segments)
    streams = run_stack(model.layers, model.norm, embedded.stream, (kind,), recorded.contexts)
    rows = np.stack([normalise(model.norm, stream) for stream in streams.after])  # (L + 1, T, D)
    mean = model.config.pooling == "mean"
    pooled = rows.mean(1) if mean else rows[:, pooled_position(model, len(encoding.ids))]  # (L + 1, D)
    logits = classify(model.classifier, pooled).logits
    probabilities, labels = checkpoint.settings.probabilities(logits), checkpoint.task.labels
    if predicts_tokens(checkpoint):
        ids = likeliest_tokens(probabilities[-1])[:CLASSES]
        labels = tuple(checkpoint.text_encoder.token(index) for index in ids.tolist())
        logits, probabilities = logits[:, ids], probabilities[:, ids]
    return ClassLens(labels, logits, probabilities)


def token_lens(checkpoint: Checkpoint, translation: Translation) -> TokenLens:
    """The next token of every position of a translation after each layer of the decoder. Raises Failure as above."""
    model = checkpoint.model
    if not isinstance(model, EncoderDecoder):
        raise _no_layers(checkpoint)
    source, target = source_tensors(translation.source), torch.from_numpy(np.array(translation.target.ids))[None]
    recorded, _ = record_pass(lambda hook: model(*source, target, hook=hook).logits, ("causal", 0, 0))
    embedded = embed_translation(model.token_embedding, model.target_positions, translation.target.ids)
    kinds = ("causal", "cross")
    streams = run_stack(model.decoder_layers, model.decoder_norm, embedded.stream, kinds, recorded.contexts)
    rows = np.stack([normalise(model.decoder_norm, stream) for stream in streams.after])  # (L + 1, T, D)
    logits = linear(rows, numbers(model.token_embedding.weight), numbers(model.output_bias))  # (L + 1, T, C)
    chances = log_probabilities(torch.from_numpy(logits))
    outputs = torch.tensor([step.output.id for step in translation.steps])
    of_output = chances.gather(-1, outputs.expand(len(rows), -1)[..., None])  # (L + 1, T, 1)
    encoder, target = checkpoint.text_encoder, translation.target
    return TokenLens(
        read=tuple(target.label(position) for position in range(len(target.tokens))),
        outputs=translation.outputs,
        likeliest=tuple(tuple(show_whitespace(encoder.token(i)) for i in row) for row in chances.argmax(-1).tolist()),
        probabilities=of_output[..., 0].exp().numpy(),
        ranks=1 + (chances > of_output).sum(-1).numpy(),
    )


def _no_layers(checkpoint: Checkpoint) -> Failure:
    return Failure("lens.no_layers", name=f"{checkpoint.task.name}/{checkpoint.name}")
