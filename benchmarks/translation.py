"""How long a translation takes with all attention, through the running app: the first word, and everything.

`python -m benchmarks --only translation` prints the section of the report.
"""

import json
from http.client import HTTPConnection
from time import perf_counter
from urllib.parse import urlsplit

from benchmarks import machine
from benchmarks.tables import milliseconds, row
from pages.routes.streams import JSON
from pages.routes.translate import PATH
from tests.browser import running_app
from viz_core import checkpoints
from viz_core.tasks import TRANSLATION, all_tasks

SOURCE = "我们明天早上要去学校参加一个很重要的考试"  # 20 characters
DECODINGS = {"greedy": {"method": "greedy"}, "beam of 4": {"method": "beam", "width": 4}}
FIRST_WORD, TARGETS = 50, {"greedy": 150, "beam of 4": 400}  # milliseconds
WARM_UP, ROUNDS, QUICK_ROUNDS = 3, 20, 2


def report(quick: bool = False) -> str:
    """The section of the report, as Markdown."""
    load, rounds = machine.load(), QUICK_ROUNDS if quick else ROUNDS
    with running_app() as address:
        trips = [_request(address, {})[1] for _ in range(WARM_UP + rounds)][WARM_UP:]
        rows = [row for task in all_tasks(TRANSLATION) for row in _rows(address, task, rounds)]
    body = "\n".join([*rows, row("for comparison: a request that is refused at once", [trips], None, milliseconds)])
    return f"""## Translation

| {len(SOURCE)} characters, word by word, with all attention | target | reached | largest | |
|---|---|---|---|---|
{body}

On a new connection to the running app. *First word*, or with a beam the first level of its tree: until it has arrived.
*Everything*: with the attention of all layers and heads. Medians of {rounds} rounds.
{machine.conditions(load)}"""


def _rows(address: str, task: str, rounds: int) -> list[str]:
    rows = []
    for info in checkpoints.task_checkpoints(task)[:1]:
        for name, decoding in DECODINGS.items():
            fields = {"task": task, "model": info.name, "language": "en", "text": SOURCE, "decoding": decoding}
            timings = [_request(address, fields) for _ in range(WARM_UP + rounds)][WARM_UP:]
            first, last = zip(*timings, strict=True)
            title = f"`{task}/{info.name}`, {name}"
            if name == "greedy":
                rows.append(row(f"{title}: first word", [first], FIRST_WORD, milliseconds))
            else:
                rows.append(row(f"{title}: first level", [first], None, milliseconds))
            rows.append(row(f"{title}: everything", [last], TARGETS[name], milliseconds))
    return rows


def _request(address: str, fields: dict) -> tuple[float, float]:
    """Milliseconds until the first word, and until the end. Raises ValueError if the response is no translation."""
    host, start = urlsplit(address), perf_counter()
    connection = HTTPConnection(host.hostname, host.port)
    connection.request("POST", f"/{PATH}", json.dumps(fields), {"Content-Type": "application/json"})
    response, first, frames = connection.getresponse(), 0.0, []
    while response.status == 200 and (head := response.read(5)):
        content = response.read(int.from_bytes(head[:4], "little"))
        frames.append(next(iter(json.loads(content))) if head[4] == JSON else "packed")
        if frames[-1] in ("step", "nodes"):
            first = first or (perf_counter() - start) * 1000
    response.read()
    connection.close()
    if fields and (frames[-1:] != ["end"] or "packed" not in frames):
        raise ValueError(f"the response is no translation: {response.status}, {frames}")
    return first, (perf_counter() - start) * 1000
