"""The votes of classes: in memory alone, for some hours, bounded, and without anything about a person.

A voter is a browser. Cookies are free for whoever asks, so there is a limit for an address, too: a script can vote more
than once, but not fill a poll, and the teacher sees how many votes there are.
"""

import secrets
import time
import unicodedata
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from hashlib import blake2b
from threading import Lock

from pages.shared.clients import address_share
from viz_core.analysis.turns import Client
from viz_core.records import Failure, Question, Votes
from viz_core.servers import LETTERS, place

PATH = "vote"  # the address of the phones' page
HOURS = 3  # that a poll lasts
MOST_POLLS, OF_OWNER = 100, 10
MOST_VOTERS = 500  # of a poll
LENGTH = 6  # of a code; its first letter says on which of several servers the poll is
_LONGEST_TYPED = 40


class NoPoll(Failure):
    """There is no poll of this code."""


class NoCookie(Failure):
    """A browser without a cookie, which would vote as often as it likes."""


class Closed(Failure):
    """The votes are shown already."""


class Full(Failure):
    """There are as many voters as there may be."""


@dataclass
class Poll:
    """A question and its votes; for several threads.

    owner, key: who asks, and for which place of the app: one poll of each. address: of the owner. ends: by the clock of
    the polls. The voters are hashes with a salt that this poll alone has.
    """

    code: str
    question: Question
    owner: str
    key: str
    address: str
    ends: float
    is_open: bool = True
    _votes: dict[bytes, float] = field(default_factory=dict)
    _of_addresses: Counter[bytes] = field(default_factory=Counter)
    _salt: bytes = field(default_factory=lambda: secrets.token_bytes(16))
    _lock: Lock = field(default_factory=Lock)

    def vote(self, client: Client, vote: str) -> None:
        """Counts a vote, in place of an earlier one of the same visitor. Raises Failure, also for what is no vote."""
        value = self.question.read(vote)
        if client.visitor is None:
            raise NoCookie("votes.no_cookie")
        with self._lock:
            if not self.is_open:
                raise Closed("votes.closed")
            voter, address = self._hash(client.visitor), self._hash(client.address)
            if voter not in self._votes:
                if len(self._votes) >= MOST_VOTERS or self._of_addresses[address] >= _share(MOST_VOTERS):
                    raise Full("votes.full")
                self._of_addresses[address] += 1
            self._votes[voter] = value

    def vote_of(self, client: Client) -> float | None:
        """What a visitor has voted for, if anything."""
        return None if client.visitor is None else self._votes.get(self._hash(client.visitor))

    def close(self) -> None:
        """No vote is counted from now on."""
        with self._lock:
            self.is_open = False

    @property
    def votes(self) -> Votes:
        with self._lock:
            return Votes(self.question, tuple(sorted(self._votes.values())))

    @property
    def count(self) -> int:
        """Number of voters."""
        return len(self._votes)

    def _hash(self, text: str) -> bytes:
        return blake2b(text.encode(), digest_size=16, key=self._salt).digest()


class Polls:
    """All polls; at most `MOST_POLLS`, of an owner `OF_OWNER`, of an address its share. For a new one, that goes which
    nobody has asked for the longest."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._polls: dict[str, Poll] = {}  # by code, the one asked for last at the end
        self._lock = Lock()

    def open(self, owner: str, address: str, key: str, question: Question) -> Poll:
        """A poll without votes. It has the code of the former one of this owner and key, so nobody scans it again."""
        with self._lock:
            former = self._find(owner, key)
            code = former.code if former else self._unused_code()
            self._polls.pop(code, None)
            self._make_room(OF_OWNER, lambda poll: poll.owner == owner)
            self._make_room(_share(MOST_POLLS), lambda poll: poll.address == address)
            self._make_room(MOST_POLLS, lambda poll: True)
            poll = Poll(code, question, owner, key, address, self._clock() + HOURS * 3600)
            self._polls[code] = poll
        if former:
            former.close()
        return poll

    def of(self, owner: str, key: str) -> Poll | None:
        """The poll of an owner under a key; None if there is none, or no longer."""
        with self._lock:
            poll = self._find(owner, key)
            return self._touch(poll) if poll else None

    def find(self, code: str) -> Poll:
        """The poll of a code as somebody types it. Raises NoPoll."""
        with self._lock:
            self._drop_ended()
            poll = self._polls.get(normalise(code))
            if poll is None:
                raise NoPoll("votes.unknown", code=code[:_LONGEST_TYPED], hours=HOURS)
            return self._touch(poll)

    def _find(self, owner: str, key: str) -> Poll | None:
        self._drop_ended()
        return next((poll for poll in self._polls.values() if (poll.owner, poll.key) == (owner, key)), None)

    def _touch(self, poll: Poll) -> Poll:
        self._polls[poll.code] = self._polls.pop(poll.code)
        return poll

    def _drop_ended(self) -> None:
        now = self._clock()
        self._polls = {code: poll for code, poll in self._polls.items() if poll.ends > now}

    def _make_room(self, most: int, counts: Callable[[Poll], bool]) -> None:
        """Room for one more of the polls that count, of which there are at most `most`."""
        counted = [poll for poll in self._polls.values() if counts(poll)]
        if len(counted) >= most:
            del self._polls[counted[0].code]

    def _unused_code(self) -> str:
        while (code := _random_code()) in self._polls:
            pass
        return code


def _random_code() -> str:
    return "".join(map(secrets.choice, [place().letters, *[LETTERS] * (LENGTH - 1)]))


def may_be_here(code: str) -> bool:
    """Whether a poll of this code would be on this server."""
    return normalise(code)[:1] in tuple(place().letters)


def normalise(code: str) -> str:
    """A code as it is, for what somebody types: also small or full-width letters, with spaces or hyphens."""
    typed = unicodedata.normalize("NFKC", code[:_LONGEST_TYPED]).upper()
    return "".join(letter for letter in typed if letter.isalnum())


def _share(most: int) -> int:
    """What one address may have of it."""
    return max(1, most * address_share() // 100)


polls = Polls()
