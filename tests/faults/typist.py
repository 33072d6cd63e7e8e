"""Somebody who types until stdin is closed: `python -m tests.faults.typist ADDRESS`. Prints how long each key took."""

import asyncio
import json
import sys
import time
from collections import Counter

from tests.faults.storms import MODEL, Browser

PAUSE, LEAST = 0.25, 20  # seconds between two keys; keys, so that what goes on after a storm is noticed


async def main(server: str) -> None:
    browser = Browser(server, "e" * 32, "198.51.100.9")
    waits, statuses = list[float](), Counter[int]()

    async def key(text: str) -> int:
        return await browser.post("explain", MODEL | {"model": "small", "texts": [text], "visit": "typist"})

    await key("A first text")
    print("ready", flush=True)
    over = asyncio.ensure_future(asyncio.to_thread(sys.stdin.read))
    while not over.done() or len(waits) < LEAST:
        start = time.monotonic()
        statuses[await key(f"A good film, the {len(waits)}. of this year")] += 1
        waits.append(time.monotonic() - start)
        await asyncio.sleep(PAUSE)
    print(json.dumps({"waits": waits, "statuses": statuses}))


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1]))
