"""When a computation is given up."""

from concurrent.futures import Future, ThreadPoolExecutor

import pytest

from viz_core.analysis.deadline import Deadline, TimedOut


def test_a_deadline_passes_and_can_be_abandoned():
    later, never, past = Deadline(1000), Deadline(), Deadline(-1)
    for deadline in (later, never):
        deadline.check()
        deadline.abandon()
    for deadline in (later, never, past):
        assert deadline.is_over
        with pytest.raises(TimedOut):
            deadline.check()


def test_what_is_waited_for_is_returned_or_cancelled():
    with ThreadPoolExecutor(2) as threads:
        done, deadline = Future(), Deadline()
        waiting = threads.submit(deadline.wait, done)
        done.set_result(7)
        assert waiting.result(timeout=30) == 7
        left = Future()
        waiting = threads.submit(deadline.wait, left)
        deadline.abandon()
        assert isinstance(waiting.exception(timeout=30), TimedOut) and left.cancelled()
    late = Future()
    with pytest.raises(TimedOut):
        Deadline(-1).wait(late)
    assert late.cancelled()
