"""Dynamic batching: inputs that wait for the same model are explained in one forward pass.

Nothing waits for others to arrive: a pass takes whatever has arrived while the pass before was
running.
"""

import os
from collections.abc import Hashable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from threading import Lock

import torch
from threadpoolctl import threadpool_limits

from viz_core.analysis.deadline import Deadline
from viz_core.analysis.explain import encode, explain_batch
from viz_core.analysis.turns import Client, FairOrder
from viz_core.checkpoints import Checkpoint
from viz_core.records import Encoding, Explanation, Failure

MOST_WAITING = 32  # inputs: more than a class of thirty sends at once, fewer than the server has threads
MOST_TOKENS = 1024  # per pass, padding included: two inputs of 512, or a class with short texts


class Overload(Failure):
    """Too many inputs are waiting."""


class Overtaken(Failure):
    """A newer input of the same visitor has replaced this one."""


@dataclass(eq=False)
class _Request:
    """A waiting input.

    Attributes:
        visitor: A later input of the same visitor replaces this one; None if nothing replaces it.
        result: Cancelled once nobody waits for it.
    """

    checkpoint: Checkpoint
    encoding: Encoding
    visitor: Hashable | None
    deadline: Deadline
    result: Future[Explanation] = field(default_factory=Future)


class ExplanationQueue:
    """Explains inputs for many threads, one pass at a time, in fair order (`turns.FairOrder`).

    If nothing is running, the calling thread computes: handing over to another thread would take
    longer than a short text. Inputs that arrive meanwhile are computed by a thread of the queue.
    """

    def __init__(self, most_waiting: int = MOST_WAITING, most_tokens: int = MOST_TOKENS) -> None:
        self._most_waiting, self._most_tokens = most_waiting, most_tokens
        self._waiting = FairOrder[_Request]()
        self._busy = False
        self._lock = Lock()
        self._thread = ThreadPoolExecutor(1, "explanations")

    @property
    def waiting(self) -> int:
        """How many inputs wait."""
        return len(self._waiting)

    def explain(
        self,
        checkpoint: Checkpoint,
        *texts: str,
        visitor: Hashable | None = None,
        client: Client | None = None,
        deadline: Deadline | None = None,
    ) -> Explanation:
        """Explain an input, equal to `explain.explain` to 1e-5; waits for the result.

        Args:
            visitor: An earlier input of the same visitor that is still waiting is given up.
            client: Whose turn it takes.
            deadline: Of the input; once it is over, nothing is computed for it alone.

        Raises:
            Failure: As `explain.explain`, and if too many inputs wait (Overload), the visitor has
                sent a newer one (Overtaken) or the deadline comes first (TimedOut).
        """
        request = _Request(checkpoint, encode(checkpoint, *texts), visitor, deadline or Deadline())
        with self._lock:
            self._drop(request)
            if len(self._waiting) >= self._most_waiting:
                raise Overload("analysis.overload", waiting=len(self._waiting))
            self._waiting.add(client, request)
            idle, self._busy = not self._busy, True
        if idle:
            self._run_pass()
        return request.deadline.wait(request.result)

    def _drop(self, newest: _Request) -> None:
        """Remove what nobody waits for any more, and what is overtaken by this request."""
        overtaken = [each for each in self._waiting if newest.visitor is not None and each.visitor == newest.visitor]
        self._waiting.take([*overtaken, *(each for each in self._waiting if each.result.cancelled())])
        for request in overtaken:
            if request.result.set_running_or_notify_cancel():
                request.result.set_exception(Overtaken("analysis.overtaken"))

    def _run_pass(self) -> None:
        """Compute a pass, and have the next one computed if more is waiting."""
        try:
            if batch := self._take():
                _compute(batch)
        finally:
            with self._lock:
                self._busy = len(self._waiting) > 0
                if self._busy:
                    self._thread.submit(self._run_pass)

    def _take(self) -> list[_Request]:
        """Remove the first request and those for its model that fit into the same pass, in fair order."""
        batch, gone, longest = list[_Request](), list[_Request](), 0
        with self._lock:
            for request in self._waiting:
                length = max(longest, len(request.encoding.ids))
                if not batch or (
                    request.checkpoint is batch[0].checkpoint and (len(batch) + 1) * length <= self._most_tokens
                ):
                    if request.result.set_running_or_notify_cancel():
                        batch.append(request)
                        longest = length
                    else:
                        gone.append(request)
            self._waiting.take([*batch, *gone])
        return batch


def _compute(batch: Sequence[_Request]) -> None:
    """Set the results of all requests.

    If a pass fails, each is repeated alone, so that an error reaches no other.
    """

    def between_layers() -> None:
        if all(request.deadline.is_over for request in batch):
            raise batch[0].deadline.failure

    try:
        explanations = explain_batch(
            batch[0].checkpoint, [request.encoding for request in batch], between_layers=between_layers
        )
    except Exception as error:
        if len(batch) == 1:
            batch[0].result.set_exception(error)
            return
        for request in batch:
            _compute([request])
    else:
        for request, explanation in zip(batch, explanations, strict=True):
            request.result.set_result(explanation)


def reserve_core(servers: int = 1) -> None:
    """Let torch and NumPy use all cores but one, which is left to serve pages.

    Their threads wait for each other actively: if a page interrupts one of them, a computation of
    milliseconds takes a tenth of a second. Call it once everything is imported: libraries loaded
    later use all cores.

    Args:
        servers: That share the machine.
    """
    cores = max(1, ((os.cpu_count() or 1) - 1) // servers)
    torch.set_num_threads(cores)
    threadpool_limits(cores, user_api="blas")
