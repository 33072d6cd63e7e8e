"""The training loop, on losses that can be worked out by hand."""

import pytest
import torch
from torch import nn

from viz_core.training import loop
from viz_core.training.devices import start_fabric
from viz_core.training.loop import Action, BatchSums, Diverged, LoopState, Plan, fit, learning_rate_factor


@pytest.mark.parametrize(
    "step, warmup, schedule, factor",
    [
        (0, 0.2, "cosine", 0.05),
        (9, 0.2, "cosine", 0.5),
        (19, 0.2, "cosine", 1.0),  # 20 of 100 steps rise
        (20, 0.2, "cosine", 1.0),
        (60, 0.2, "cosine", 0.5),
        (100, 0.2, "cosine", 0.0),
        (150, 0.2, "cosine", 0.0),
        (40, 0.2, "cosine", (1 + 0.5**0.5) / 2),  # a quarter of the way: cos 45°
        (0, 0.0, "constant", 1.0),
        (99, 0.0, "constant", 1.0),
        (4, 0.1, "constant", 0.5),
        (50, 0.1, "constant", 1.0),
    ],
)
def test_learning_rate_by_hand(step, warmup, schedule, factor):
    assert learning_rate_factor(step, 100, warmup, schedule) == pytest.approx(factor)


class Objective(nn.Module):
    """A module with parameters and any loss of them; a batch counts as an example, predicted correctly if even."""

    def __init__(self, module: nn.Module, loss) -> None:
        super().__init__()
        self.module, self.loss = module, loss

    def forward(self, batch) -> BatchSums:
        return BatchSums(self.loss(batch), torch.tensor(1.0), torch.tensor(float(batch % 2 == 0)), torch.tensor(1.0))


class RecordingCallback:
    """Records its calls; `enough` and `actions` compute its results."""

    def __init__(self, enough=lambda state: False, actions=lambda state: Action.CONTINUE) -> None:
        self.enough, self.actions, self.evaluated, self.saved = enough, actions, [], []

    def after_step(self, state):
        return self.actions(state)

    def evaluate(self, state, factor):
        self.evaluated.append((state.epoch, state.step, list(state.sums), factor))
        return self.enough(state)

    def save(self, state):
        self.saved.append((state.epoch, state.step, state.due, state.done))


def run(module, loss, epochs=3, batches=4, callback=None, lr=0.1, clip=1.0, evaluations=1, groups=None, state=None):
    plan = Plan(epochs, batches, warmup=0.0, schedule="constant", clip=clip, evaluations=evaluations)
    optimiser = torch.optim.AdamW(groups or [{"params": list(module.parameters()), "lr": lr}], weight_decay=0.0)
    return fit(
        start_fabric("cpu"),
        Objective(module, loss),
        optimiser,
        plan,
        lambda epoch, start: range(start, batches),
        state or LoopState(),
        callback or RecordingCallback(),
    )


def test_loss_falls_and_every_epoch_is_evaluated():
    module, callback = nn.Linear(1, 1), RecordingCallback()
    assert run(module, lambda batch: (module(torch.ones(1, 1)) - 3).square().sum(), epochs=30, callback=callback)
    assert [epoch for epoch, *_ in callback.evaluated] == list(range(30))
    losses = [sums[0] for _, _, sums, _ in callback.evaluated]
    assert losses[-1] < 0.01 * losses[0]


def test_sums_are_those_of_the_batches_since_the_last_evaluation():
    module, callback = nn.Linear(1, 1), RecordingCallback()
    run(module, lambda batch: module.weight.sum() * 0 + batch, epochs=1, batches=5, evaluations=2, callback=callback)
    assert [(step, sums) for _, step, sums, _ in callback.evaluated] == [
        (3, [0.0 + 1 + 2, 3, 2, 3]),
        (5, [3.0 + 4, 2, 1, 2]),
    ]


@pytest.mark.parametrize(
    "steps, evaluations, after",
    [(4, 1, {4}), (4, 2, {2, 4}), (5, 2, {3, 5}), (3, 3, {1, 2, 3}), (2, 5, {1, 2}), (1, 1, {1})],
)
def test_evaluations_are_spread_over_the_epoch_and_the_last_is_at_its_end(steps, evaluations, after):
    assert Plan(1, steps, 0.0, "constant", 1.0, evaluations).evaluation_steps == after


def test_first_step_moves_every_weight_by_the_learning_rate():
    """Adam's first step is the sign of the gradient times the learning rate, however large the gradient."""
    module = nn.Linear(2, 1, bias=False)
    before = module.weight.detach().clone()
    run(module, lambda batch: (module.weight * torch.tensor([[100.0, -3.0]])).sum(), epochs=1, batches=1, lr=0.01)
    torch.testing.assert_close(module.weight - before, torch.tensor([[-0.01, 0.01]]), atol=1e-6, rtol=0)


@pytest.mark.parametrize("clip, distance", [(1.0, 0.1 * 1.0), (0.0, 0.1 * 5.0)])
def test_gradient_is_clipped_to_its_largest_norm(clip, distance):
    """Gradient descent on 3a + 4b, whose gradient has norm 5: clipped to 1, or not at all."""
    weights = nn.Parameter(torch.zeros(2))
    plan = Plan(1, 1, warmup=0.0, schedule="constant", clip=clip)
    optimiser = torch.optim.SGD([{"params": [weights], "lr": 0.1}])
    fit(
        start_fabric("cpu"),
        Objective(nn.ParameterList([weights]), lambda batch: (weights * torch.tensor([3.0, 4.0])).sum()),
        optimiser,
        plan,
        lambda epoch, start: range(1),
        LoopState(),
        RecordingCallback(),
    )
    assert weights.norm().item() == pytest.approx(distance, rel=1e-4)


def test_a_loss_that_is_not_finite_is_named_with_its_step():
    module, batches = nn.Linear(1, 1), []

    def loss(batch):
        batches.append(batch)
        return module.weight.sum() * (float("nan") if len(batches) == 6 else 1.0)

    with pytest.raises(Diverged, match="nan in epoch 2, step 2"):
        run(module, loss)


@pytest.mark.parametrize("interval", [1, 5])
@pytest.mark.parametrize(
    "bad_loss, message",
    [
        (lambda weight: weight.sum() * float("inf"), "the loss is (inf|-inf|nan) in epoch 2, step 3$"),
        (lambda weight: (0 * weight).sqrt().sum(), "the norm of the gradient is not finite in epoch 2, step 3$"),
    ],
    ids=["loss", "gradient of a finite loss"],
)
def test_the_first_step_that_is_not_finite_is_named_however_seldom_sums_are_read(
    monkeypatch, interval, bad_loss, message
):
    """The derivative of the root at 0 is infinite. The steps after it are not finite either, but are not named."""
    monkeypatch.setattr(loop._RunningSums, "_next_interval", lambda sums: interval)
    module, batches = nn.Linear(1, 1), []

    def loss(batch):
        batches.append(batch)
        return bad_loss(module.weight) if len(batches) == 12 + 3 else module.weight.sum()

    with pytest.raises(Diverged, match=message):
        run(module, loss, batches=12)
    assert len(batches) == 12 + (3 if interval == 1 else 6), "read after 1 step and 5 more"


def test_sums_and_weights_do_not_depend_on_how_often_sums_are_read(monkeypatch):
    results = []
    for interval in (1, 5):
        monkeypatch.setattr(loop._RunningSums, "_next_interval", lambda sums, interval=interval: interval)
        module, steps = nn.Linear(1, 1), []
        nn.init.ones_(module.weight)
        callback = RecordingCallback(actions=lambda state, steps=steps: steps.append(state.step) or Action.CONTINUE)
        run(module, lambda batch, module=module: (module.weight * (batch + 0.1)).sum(), 2, 12, callback, evaluations=2)
        results.append((callback.evaluated, callback.saved, module.weight.item()))
        assert steps == (2 * list(range(1, 13)) if interval == 1 else 2 * [1, 6, 7, 12])
    assert results[0] == results[1]


def test_a_stop_between_readings_loses_no_sums(monkeypatch):
    monkeypatch.setattr(loop._RunningSums, "_next_interval", lambda sums: 5)
    module, state = nn.Linear(1, 1), LoopState()
    stopping = RecordingCallback(actions=lambda state: Action.STOP if state.step > 2 else Action.CONTINUE)
    assert not run(module, lambda batch: module.weight.sum() * 0 + batch, 1, 9, stopping, state=state)
    assert stopping.saved == [(0, 6, False, False)] and state.sums == [0 + 1 + 2 + 3 + 4 + 5, 6, 3, 6]
    later = RecordingCallback()
    assert run(module, lambda batch: module.weight.sum() * 0 + batch, 1, 9, later, state=state)
    assert [sums for _, _, sums, _ in later.evaluated] == [[36.0, 9, 5, 9]]


def test_training_ends_when_an_evaluation_returns_true():
    module, callback = nn.Linear(1, 1), RecordingCallback(enough=lambda state: state.epoch == 1)
    assert run(module, lambda batch: module.weight.sum(), epochs=9, callback=callback)
    assert [epoch for epoch, *_ in callback.evaluated] == [0, 1]
    assert callback.saved == [(1, 0, False, False), (2, 0, False, True)]


def test_it_saves_after_every_evaluation_and_when_the_callback_asks_for_it():
    module = nn.Linear(1, 1)
    callback = RecordingCallback(actions=lambda state: Action.SAVE if state.step == 2 else Action.CONTINUE)
    run(module, lambda batch: module.weight.sum(), epochs=1, callback=callback)
    assert callback.saved == [(0, 2, False, False), (1, 0, False, True)]


def test_a_stop_saves_and_ends_after_the_step():
    module = nn.Linear(1, 1)
    callback = RecordingCallback(actions=lambda state: Action.STOP if state.step == 2 else Action.CONTINUE)
    assert not run(module, lambda batch: module.weight.sum(), callback=callback)
    assert (callback.evaluated, callback.saved) == ([], [(0, 2, False, False)])


def test_after_a_stop_at_the_end_of_an_epoch_its_evaluation_comes_first():
    module, state = nn.Linear(1, 1), LoopState()
    stopping = RecordingCallback(actions=lambda state: Action.STOP if state.step == 4 else Action.CONTINUE)
    assert not run(module, lambda batch: module.weight.sum(), epochs=1, callback=stopping, state=state)
    assert (stopping.evaluated, stopping.saved) == ([], [(0, 4, True, False)])
    later = RecordingCallback()
    assert run(module, lambda batch: module.weight.sum(), epochs=1, callback=later, state=state)
    assert [evaluated[:2] for evaluated in later.evaluated] == [(0, 4)] and later.evaluated[0][2][1] == 4


def test_an_interrupted_evaluation_is_repeated():
    module, state = nn.Linear(1, 1), LoopState()
    interrupted = RecordingCallback(enough=lambda state: None)
    assert not run(module, lambda batch: module.weight.sum(), callback=interrupted, state=state)
    assert (state.epoch, state.step, state.due) == (0, 4, True)


def test_every_epoch_is_in_training_mode_even_if_an_evaluation_left_eval_mode():
    module, modes = nn.Linear(1, 1), []

    def loss(batch):
        modes.append(module.training)
        return module.weight.sum()

    evaluation = RecordingCallback(enough=lambda state: not module.eval())
    run(module, loss, epochs=2, batches=1, callback=evaluation)
    assert modes == [True, True]


def test_parameter_groups_have_their_own_learning_rates():
    """Adam's first step is as long as the learning rate, whatever the gradient."""
    fast, slow = nn.Parameter(torch.zeros(1)), nn.Parameter(torch.zeros(1))
    run(
        nn.ParameterList([fast, slow]),
        lambda batch: (3 * fast + 5 * slow).sum(),
        epochs=1,
        batches=1,
        clip=100.0,
        groups=[{"params": [fast], "lr": 0.1}, {"params": [slow], "lr": 0.01}],
    )
    assert fast.item() == pytest.approx(-0.1, rel=1e-4) and slow.item() == pytest.approx(-0.01, rel=1e-4)
