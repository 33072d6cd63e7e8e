"""Whether this machine has so much other work that a training would take twice as long or longer."""

import os


def machine_is_busy() -> bool:
    """Whether other programs want all processor time there is, so that a training would get half of it: the load
    of the last minute is at least the number of cores. False where the system does not say (Windows)."""
    try:
        load = os.getloadavg()[0]
    except (AttributeError, OSError):
        return False
    return load >= (len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1)
