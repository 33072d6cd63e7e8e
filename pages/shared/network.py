"""How many can reach a server, and what it opens to them, for the terminal of whoever starts it."""

import os
from contextlib import suppress
from ipaddress import ip_address

from pages.shared.teacher import SHORTEST, is_alone, teacher_key
from viz_core.jobs.limits import read_limits
from viz_core.records import Failure, Message
from viz_core.variables import RUNS_PER_VISITOR, TEACHER_KEY

MOST_FILES = 10_240  # more than macOS allows without further settings


def allow_connections() -> None:
    """Raises the number of files that may be open, since every connection is one: the 256 of macOS are too few for a
    class, and would let a single visitor keep out all others."""
    with suppress(ImportError, OSError, ValueError):  # Windows has another limit, and some systems refuse
        import resource

        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        most = MOST_FILES if hard == resource.RLIM_INFINITY else min(hard, MOST_FILES)
        if soft != resource.RLIM_INFINITY and soft < most:
            resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))


def is_open(address: str) -> bool:
    """Whether others reach a server that is bound to this address; an unknown name is taken to be open."""
    if address == "localhost" or address.startswith("unix://"):
        return False
    try:
        return not ip_address(address.strip("[]")).is_loopback
    except ValueError:
        return True


def describe_network(address: str, port: int, upload_megabytes: int) -> list[Message]:
    """Who reaches the server, what they can do, and who can manage the runs of others; empty where that is nobody.

    A server that is bound to this machine may be reached through a proxy: then only the key matters.
    """
    messages = []
    if is_open(address):
        everywhere = address in ("0.0.0.0", "::", "")  # noqa: S104  # nosec B104 (it is only described)
        where = Message("network.every_address") if everywhere else address
        messages = [Message("network.open", {"address": where, "port": port}), _describe_visitors(upload_megabytes)]
    if not is_alone():
        messages += _describe_key(is_open(address))
    if is_open(address):
        messages.append(Message("network.proxy", {}))
    return messages


def _describe_visitors(upload_megabytes: int) -> Message:
    """What visitors can do, or which setting of it is unusable."""
    try:
        limits = read_limits()
    except Failure as failure:
        return failure.message
    return Message(
        "network.visitors",
        {
            "count": limits.most_queued_per_owner,
            "minutes": limits.longest_minutes,
            "megabytes": upload_megabytes,
            "variable": RUNS_PER_VISITOR,
        },
    )


def _describe_key(open_to_others: bool) -> list[Message]:
    if os.environ.get(TEACHER_KEY) and teacher_key() is None:
        return [Message("network.key_too_short", {"variable": TEACHER_KEY, "count": SHORTEST})]
    if not open_to_others:
        return []
    return [Message("network.key" if teacher_key() else "network.no_key", {"variable": TEACHER_KEY, "count": SHORTEST})]
