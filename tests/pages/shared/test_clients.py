"""How often somebody may do something."""

from functools import partial

import pytest
from starlette.requests import HTTPConnection

from pages.shared import clients
from pages.shared.clients import Rate, client_of, shared_rate
from pages.shared.visitor_cookie import COOKIE, sign
from viz_core.servers import VISITOR_HEADER

VISITOR = "a" * 32


def test_a_rate_has_a_burst_and_comes_back_steadily():
    now = 0.0
    rate = Rate(burst=3, interval=2.0, clock=lambda: now)
    assert [rate.take("anna") for _ in range(5)] == [0, 0, 0, 2, 2]
    assert rate.take("ben") == 0
    now = 2.0
    assert [rate.take("anna") for _ in range(2)] == [0, 2]
    now = 100.0
    assert [rate.take("anna") for _ in range(4)] == [0, 0, 0, 2]


def test_under_several_keys_the_strictest_counts_and_none_is_charged_in_vain():
    rate = Rate(burst=2, interval=1.0, clock=lambda: 0.0)
    assert [rate.take("cookie 1", "address"), rate.take("cookie 2", "address"), rate.take("cookie 3", "address")] == [
        0,
        0,
        1,
    ]
    assert [rate.take("cookie 3"), rate.take("cookie 3"), rate.take("cookie 3")] == [0, 0, 1]


@pytest.mark.parametrize(
    ("place", "burst", "seconds"), [("", 5, 10), ("1/2", 2, 20), ("2/2", 2, 20), ("1/3", 1, 30), ("7/8", 1, 80)]
)
def test_each_of_several_servers_allows_its_share_of_a_rate(monkeypatch, place, burst, seconds):
    monkeypatch.setenv("VIZ_SERVER", place)
    monkeypatch.setattr(clients, "Rate", partial(Rate, clock=lambda: 0.0))
    rate = shared_rate(5, 10.0)
    assert [rate.take("anna") for _ in range(burst + 1)] == [0] * burst + [seconds]


@pytest.mark.parametrize(
    ("place", "read_by_the_proxy", "visitor"),
    [
        ("", None, VISITOR),  # alone, there may be no proxy, or any
        ("1/2", "{cookie}", VISITOR),
        ("1/2", None, None),
        ("1/2", "192.0.2.1", None),
        ("1/2", '"{cookie}"', None),  # another hash, and so perhaps another server
        ("1/2", "{other}", None),
    ],
)
def test_one_of_several_servers_knows_a_visitor_by_the_cookie_that_the_proxy_has_read(
    monkeypatch, place, read_by_the_proxy, visitor
):
    monkeypatch.setenv("VIZ_SERVER", place)
    headers = {"cookie": f"{COOKIE}={sign(VISITOR)}"}
    if read_by_the_proxy:
        headers[VISITOR_HEADER] = read_by_the_proxy.format(cookie=sign(VISITOR), other=sign("b" * 32))
    raw = [(name.lower().encode(), value.encode()) for name, value in headers.items()]
    assert client_of(HTTPConnection({"type": "http", "headers": raw, "client": ("192.0.2.1", 5)})).visitor == visitor
