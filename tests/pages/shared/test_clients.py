"""How often somebody may do something."""

from pages.shared.clients import Rate


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
