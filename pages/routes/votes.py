"""`GET vote`, `GET vote/CODE`, `POST vote/CODE`: the phones of a class vote. No session, no script, no login.

The POST is a form with one field, `vote`, and its response the same page with what was voted for.
"""

import math
from functools import partial
from urllib.parse import parse_qs, quote

from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from pages.routes.budget import VOTING
from pages.routes.requests import Posted, respond, status_of
from pages.shared.clients import shared_rate
from pages.shared.polls import PATH, Closed, Full, NoCookie, NoPoll, Poll, may_be_here, normalise, polls
from viz_core.analysis.turns import Client
from viz_core.language import Translator
from viz_core.records import Failure
from viz_core.rendering import ballot

_STATUSES = {NoPoll: 404, NoCookie: 403, Closed: 409, Full: 503}
# Codes of an address that do not exist: a class that mistypes at once, then one a second. That is 0.02% of the 64
# million codes in the three hours of a poll.
_guesses = shared_rate(60, 1.0)


class TooManyGuesses(Failure):
    """An address has tried too many codes that do not exist."""


async def type_code(request: Request) -> Response:
    """A page with a box for the code, which it leads to."""
    typed = request.query_params.get("code", "")
    if code := normalise(typed):
        return RedirectResponse(f"{PATH}/{quote(code)}", 303, {"Cache-Control": "no-store"})
    return await respond(request, lambda posted: HTMLResponse(ballot.code_page(posted.say, PATH)), VOTING, _refuse)


async def vote(request: Request) -> Response:
    """The page of a poll; of a POST, after the vote is counted."""
    code, is_vote = request.path_params["code"], request.method == "POST"
    return await respond(request, partial(_handle, code=code, is_vote=is_vote), VOTING, _refuse)


def _handle(posted: Posted, code: str, is_vote: bool) -> Response:
    try:
        poll = _find(code, posted.client)
    except NoPoll as failure:
        return HTMLResponse(
            ballot.code_page(posted.say, f"../{PATH}", normalise(code), posted.say(failure.message)), 404
        )
    say, refusal, status = Translator(poll.question.language), "", 200
    if is_vote:
        try:
            poll.vote(posted.client, _read(posted.body))
        except Failure as failure:
            refusal, status = say(failure.message), _status(failure)
    # Read once: it may be closed meanwhile.
    given, is_open = poll.vote_of(posted.client), poll.is_open
    return HTMLResponse(ballot.ballot(poll.question, given, say, is_open, refusal), status)


def _find(code: str, client: Client) -> Poll:
    """The poll of a code. Raises NoPoll, and TooManyGuesses, which those who have voted in it never are refused for."""
    wait = _guesses.wait(client.address)
    try:
        poll = polls.find(code)
    except NoPoll:
        if not may_be_here(code):  # the proxy has found the server of this letter down: nothing is guessed here
            raise
        wait = _guesses.take(client.address)
        if not wait:
            raise
    else:
        if not wait or poll.vote_of(client) is not None:
            return poll
    raise TooManyGuesses("votes.too_many_guesses", seconds=math.ceil(wait))


def _read(body: bytes) -> str:
    """The field of the form. Raises Failure."""
    try:
        (value,) = parse_qs(body.decode("ascii"), keep_blank_values=True, strict_parsing=True, max_num_fields=2)["vote"]
    except (ValueError, KeyError):
        raise Failure("votes.unreadable") from None
    return value


def _refuse(failure: Failure, say: Translator) -> Response:
    return HTMLResponse(ballot.notice(say, say(failure.message)), _status(failure))


def _status(failure: Failure) -> int:
    return 429 if isinstance(failure, TooManyGuesses) else _STATUSES.get(type(failure)) or status_of(failure)
