"""A wall clock for every Python process that finds this file: 24 times as fast, and an hour behind while a file exists.

The clock of timers, `time.monotonic`, stays as it is, as on a machine whose clock is set.
"""

import os
import time

_SPEED, _BACK = 24, 3600 * 10**9
_real, _start, _file = time.time_ns, int(os.environ["VIZ_TEST_CLOCK_START"]), os.environ["VIZ_TEST_CLOCK_BACK"]


def _time_ns() -> int:
    return _start + (_real() - _start) * _SPEED - _BACK * os.path.exists(_file)


time.time_ns = _time_ns
time.time = lambda: _time_ns() / 10**9
