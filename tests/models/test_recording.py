"""Every named point of a pass against its formula in NumPy, and what replacing it does."""

from typing import get_args

import numpy as np
import pytest
import torch

from tests.models.tiny import encoder_decoder, sequences
from tests.steps import ACTIVATIONS, convolve, layer_norm, linear, relu, scale, scores, softmax
from tests.tiny import batch, encoder
from viz_core.models.anatomy import Anatomy, AttentionParts, Linear, Norm
from viz_core.models.embedding import occurs_in_other_segment
from viz_core.models.protocol import AttentionKind, Hook, HookPoint, LayerName, OutsideName, on_weights
from viz_core.models.recording import Record, chain, record, replacing

NAMES = (*get_args(OutsideName), *get_args(LayerName))
FORMS = {
    "pre": {},
    "post": {"norm": "post", "activation": "relu"},
    "stem": {"stem": "convolution"},
    "overlap": {"overlap": True, "norm": "post", "embedding_norm": True},
    "mean": {"pooling": "mean", "positions": "sinusoidal"},
}
forms = pytest.mark.parametrize("form", FORMS.values(), ids=list(FORMS))


def pair() -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """ids, segments and mask `(1, 7)` of a pair of texts that have a token in common."""
    ids = torch.tensor([[2, 10, 11, 3, 10, 12, 3]])
    return ids, torch.tensor([[0, 0, 0, 0, 1, 1, 1]]), torch.ones_like(ids, dtype=torch.bool)


def array(tensor: torch.Tensor) -> np.ndarray:
    return tensor.detach().numpy()


def apply(part: Linear, x: np.ndarray) -> np.ndarray:
    return linear(x, array(part.weight), array(part.bias))


def normalise(norm: Norm | None, x: np.ndarray) -> np.ndarray:
    return x if norm is None else layer_norm(x, array(norm.weight), array(norm.bias), norm.epsilon)


class Formulas:
    """What each point should be, from what is recorded at the points before it."""

    def __init__(self, anatomy: Anatomy, recorded: Record) -> None:
        self.anatomy, self.recorded, self.seen = anatomy, recorded, set()

    def at(self, name: str, layer: int = -1, kind: AttentionKind = "self") -> np.ndarray:
        return array(self.recorded[name, layer, kind][0])

    def check(self, expected: np.ndarray, name: str, layer: int = -1, kind: AttentionKind = "self") -> None:
        np.testing.assert_allclose(self.at(name, layer, kind), expected, atol=2e-5, err_msg=f"{name} {layer} {kind}")
        self.seen.add(HookPoint(name, layer, kind))

    def check_embedding(self, rows: dict[str, np.ndarray], kind: AttentionKind) -> None:
        """rows: of each table, the row of each token."""
        stack = self.anatomy.stack(kind)
        for name, index in rows.items():
            self.check(array(stack.embeddings[name])[index], name, kind=kind)
        self.check(sum(self.at(name, kind=kind) for name in rows), "embedding_sum", kind=kind)
        embedding = normalise(stack.embedding_norm, self.at("embedding_sum", kind=kind))
        self.check(embedding, "embedding", kind=kind)
        if stack.convolution:
            self.check(relu(convolve(embedding, *map(array, stack.convolution))), "convolved", kind=kind)
            self.check(normalise(stack.stem_norm, embedding + self.at("convolved", kind=kind)), "stem", kind=kind)
        x = self.at("stem" if stack.convolution else "embedding", kind=kind)
        self.check(x, "residual_before", 0, kind)

    def check_layers(self, kind: AttentionKind) -> None:
        """kind: of the stack."""
        stack, pre = self.anatomy.stack(kind), self.anatomy.norm == "pre"
        for number, layer in enumerate(stack.layers):
            x = self.at("residual_before", number, kind)
            for attention, parts in layer.attentions.items():
                self._check_attention(x, parts, number, attention)
                x = self.at("residual_middle", number, attention)
            parts = layer.feedforward
            self.check(normalise(parts.norm, x) if pre else x, "feedforward_input", number, kind)
            self.check(
                apply(parts.hidden, self.at("feedforward_input", number, kind)), "feedforward_hidden", number, kind
            )
            activated = ACTIVATIONS[self.anatomy.activation](self.at("feedforward_hidden", number, kind))
            self.check(activated, "feedforward_activated", number, kind)
            self.check(apply(parts.output, activated), "feedforward_output", number, kind)
            total = x + self.at("feedforward_output", number, kind)
            if not pre:
                self.check(total, "feedforward_sum", number, kind)
            self.check(total if pre else normalise(parts.norm, total), "residual_after", number, kind)
            if number + 1 < len(stack.layers):
                self.check(self.at("residual_after", number, kind), "residual_before", number + 1, kind)
        last = self.at("residual_after", len(stack.layers) - 1, kind)
        self.check(normalise(stack.final_norm, last), "final", kind=kind)

    def _check_attention(self, x: np.ndarray, parts: AttentionParts, layer: int, kind: AttentionKind) -> None:
        pre, H = self.anatomy.norm == "pre", self.anatomy.heads
        where = layer, kind
        self.check(normalise(parts.norm, x) if pre else x, "attention_input", *where)
        read = self.at("attention_input", *where)
        source = self.at("final") if kind == "cross" else read
        for name, part, side in (
            ("queries", parts.query, read),
            ("keys", parts.key, source),
            ("values", parts.value, source),
        ):
            self.check(apply(part, side).reshape(len(side), H, -1).transpose(1, 0, 2), name, *where)
        queries, keys, values = (self.at(name, *where) for name in ("queries", "keys", "values"))
        d, output = queries.shape[-1], array(parts.output.weight)
        self.check(np.stack([scale(scores(q, k), d) for q, k in zip(queries, keys, strict=True)]), "scaled", *where)
        self.check(self.at("scaled", *where), "scores", *where)
        masked = self.at("scores", *where)
        if kind == "causal":
            masked = np.where(np.tril(np.ones(masked.shape[1:], bool)), masked, -np.inf)
        self.check(softmax(masked), "weights", *where)
        self.check(self.at("weights", *where) @ values, "context", *where)
        context = self.at("context", *where)
        heads = np.stack([context[head] @ output[:, head * d : (head + 1) * d].T for head in range(H)])
        self.check(heads, "head_outputs", *where)
        self.check(heads.sum(0) + array(parts.output.bias), "attention_output", *where)
        total = x + self.at("attention_output", *where)
        if not pre:
            self.check(total, "attention_sum", *where)
        self.check(total if pre else normalise(parts.norm, total), "residual_middle", *where)


@forms
def test_every_point_of_an_encoder_is_its_formula(form):
    model, (ids, segments, mask) = encoder(**form), pair()
    recorded = record(model, (ids, segments, mask), NAMES)
    formulas = Formulas(model.anatomy, recorded)
    rows = {"token": ids[0].numpy(), "position": np.arange(7), "segment": segments[0].numpy()}
    if "overlap" in form:
        rows["overlap"] = occurs_in_other_segment(ids, segments, mask)[0].numpy().astype(int)
    formulas.check_embedding(rows, "self")
    formulas.check_layers("self")
    final = formulas.at("final")
    formulas.check(final.mean(0) if form.get("pooling") == "mean" else final[0], "pooled")
    formulas.check(apply(model.anatomy.classifier, formulas.at("pooled")), "logits")
    assert formulas.seen == set(recorded), "no point is without a formula"


@pytest.mark.parametrize("norm", ["pre", "post"])
def test_every_point_of_an_encoder_with_a_decoder_is_its_formula(norm):
    model, (source, mask), (target, _) = encoder_decoder(norm=norm), sequences(5), sequences(4, seed=1)
    recorded = record(model, (source, mask, target), NAMES)
    formulas = Formulas(model.anatomy, recorded)
    formulas.check_embedding({"token": source[0].numpy(), "position": np.arange(5)}, "self")
    formulas.check_layers("self")
    formulas.check_embedding({"token": target[0].numpy(), "position": np.arange(4)}, "causal")
    formulas.check_layers("causal")
    formulas.check(apply(model.anatomy.classifier, formulas.at("final", kind="causal")), "logits", kind="causal")
    assert formulas.seen == set(recorded)


def test_decoding_step_by_step_calls_the_points_of_the_new_token():
    model, (source, mask), (target, _) = encoder_decoder(), sequences(5), sequences(4, seed=1)
    whole, steps = record(model, (source, mask, target), NAMES), []
    with torch.no_grad():
        state = model.start(source, mask)
        for token in target[0]:
            tensors = {}
            keep = Hook(lambda point, tensor, tensors=tensors: tensors.setdefault(point, tensor), NAMES)
            _, state = model.advance(state, token[None], keep)
            steps.append(tensors)
    for point, last in steps[-1].items():
        if point.name in ("keys", "values", "position"):
            torch.testing.assert_close(last[0], whole[point][0][-last.shape[1] :], atol=1e-5, rtol=1e-5)
        elif point.name in ("queries", "scaled", "scores", "weights", "context", "head_outputs"):
            torch.testing.assert_close(last[0, :, 0], whole[point][0, :, -1], atol=1e-5, rtol=1e-5)
        else:
            torch.testing.assert_close(last[0, 0], whole[point][0, -1], atol=1e-5, rtol=1e-5)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("form", [*FORMS, "translation"])
def test_a_recorded_value_put_back_changes_nothing(form, name):
    if form == "translation":
        model, inputs = encoder_decoder(), (*sequences(5, 7), sequences(4, 4, seed=1)[0])
    else:
        model, inputs = encoder(**FORMS[form]), batch(5, 9)
    recorded = record(model, inputs, {name})
    again = record(model, inputs, (), replacing({point: tensor.clone() for point, tensor in recorded.items()}))
    torch.testing.assert_close(again.output.logits, recorded.output.logits, atol=1e-6, rtol=1e-6)
    seen = record(model, inputs, {"logits"}, Hook(lambda point, tensor: tensor, NAMES)).output.logits
    torch.testing.assert_close(seen, recorded.output.logits, atol=1e-6, rtol=1e-6)


@forms
def test_the_last_residual_of_another_run_gives_its_logits(form):
    model, (inputs, others) = encoder(**form), (batch(7), batch(7, seed=5))
    assert not torch.equal(inputs[0], others[0])
    last = HookPoint("residual_after", model.config.layers - 1)
    there = record(model, others, {last})
    patched = record(model, inputs, (), replacing({last: there[last]})).output.logits
    torch.testing.assert_close(patched, there.output.logits, atol=1e-6, rtol=1e-6)


@pytest.mark.parametrize("name", ["context", "head_outputs"])
def test_a_head_whose_output_is_zero_is_a_masked_head(name):
    model, inputs = encoder(), batch(5, 9)

    def zero(tensor: torch.Tensor) -> torch.Tensor:
        tensor = tensor.clone()
        tensor[:, 1] = 0
        return tensor

    masked = on_weights(lambda layer, weights: weights * torch.tensor([1.0, 1 - layer])[:, None, None])
    expected = record(model, inputs, (), masked).output.logits
    changed = record(model, inputs, (), replacing({HookPoint(name, 1): zero})).output.logits
    torch.testing.assert_close(changed, expected, atol=1e-6, rtol=1e-6)


def test_every_point_but_the_logits_changes_the_logits():
    for form in FORMS.values():
        model, inputs = encoder(**form), pair()
        recorded = record(model, inputs, NAMES)
        for point, tensor in recorded.items():
            noise = 3 * torch.randn(tensor.shape, generator=torch.Generator().manual_seed(0))
            changed = record(model, inputs, (), replacing({point: tensor + noise})).output.logits
            assert not torch.equal(changed, recorded.output.logits), point


def test_a_change_is_recorded_and_gradients_flow_where_they_are_wanted():
    model, inputs = encoder(), batch(5)
    double = replacing({HookPoint("context", 0): lambda tensor: 2 * tensor})
    plain, changed = record(model, inputs, {"context"}), record(model, inputs, {"context"}, double)
    torch.testing.assert_close(changed["context", 0], 2 * plain["context", 0])
    twice = record(model, inputs, {"context"}, chain(double, double))
    torch.testing.assert_close(twice["context", 0], 4 * plain["context", 0])
    recorded = record(model, inputs, {"residual_middle"}, gradients=True)
    (slope,) = torch.autograd.grad(recorded.output.logits[0, 0], recorded["residual_middle", 0])
    assert slope.abs().sum() > 0 and not plain["context", 0].requires_grad


def test_a_point_that_a_model_has_not_is_not_in_the_record():
    recorded = record(encoder(), batch(5), {"overlap", HookPoint("weights", 1)})
    assert set(recorded) == {("weights", 1, "self")} and len(recorded) == 1
    assert recorded.get("overlap") is None and ("weights", 0) not in recorded
