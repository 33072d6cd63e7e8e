"""The command that starts the app: what it calls Streamlit with, and who counts as alone."""

import os
import runpy
import sys

import pytest

from tests.words import says
from viz_core.commands import serve
from viz_core.folders import SHIPPED

APP = str(SHIPPED / "app.py")


@pytest.fixture
def start(monkeypatch, capsys):
    """Runs the command with arguments; returns what Streamlit would be called with."""
    called = []
    monkeypatch.setenv("VIZ_ALONE", "1")  # of an earlier start; overwritten
    monkeypatch.setattr(runpy, "run_module", lambda name, **options: called.append((name, sys.argv)))

    def run(*arguments: str) -> list[str]:
        monkeypatch.setattr(sys, "argv", ["attention-microscope", *arguments])
        serve.main()
        (name, argv) = called.pop()
        assert name == argv[0] == "streamlit"
        return argv[1:]

    return run


def test_by_default_it_serves_this_machine_alone(start, capsys):
    assert start() == ["run", APP, "--server.address", "localhost"]
    assert os.environ["VIZ_ALONE"] == "1"
    assert capsys.readouterr().out == "", "in a checkout everything is where it was"


def test_port_and_what_streamlit_knows_are_passed_on(start):
    options = start("--port", "8600", "--server.headless", "true")
    assert options == [
        "run",
        APP,
        "--server.address",
        "localhost",
        "--server.port",
        "8600",
        "--server.headless",
        "true",
    ]


def test_a_class_is_told_an_address_that_it_can_type(start, monkeypatch):
    monkeypatch.setattr(serve, "_own_address", lambda: "192.168.1.7")
    assert start("--host", "0.0.0.0")[2:] == ["--server.address", "0.0.0.0", "--browser.serverAddress", "192.168.1.7"]
    assert os.environ["VIZ_ALONE"] == ""
    monkeypatch.setattr(serve, "_own_address", lambda: None)
    assert start("--host", "0.0.0.0")[2:] == ["--server.address", "0.0.0.0"], "without a network"


def test_a_command_is_run_instead(monkeypatch, capsys, checkpoints_dir):
    monkeypatch.setattr(sys, "argv", ["attention-microscope", "models", "--json"])
    with pytest.raises(SystemExit) as end:
        serve.main()
    assert end.value.code == 0 and '"model": "tiny"' in capsys.readouterr().out


@pytest.mark.parametrize(
    "host, names, alone",
    [
        ("localhost", "", True),
        ("127.0.0.1", "", True),
        ("::1", "", True),
        ("localhost", "viz.school.edu", False),  # a proxy passes it on
        ("0.0.0.0", "", False),
        ("192.168.1.7", "", False),
    ],
)
def test_who_is_alone(host, names, alone):
    assert serve.is_alone(host, names) is alone


def test_installed_it_says_where_it_writes(start, monkeypatch, capsys):
    monkeypatch.setattr(serve, "IS_INSTALLED", True)
    monkeypatch.setenv("LANG", "en_US.UTF-8")
    start()
    assert says(capsys.readouterr().out, "network.folder", folder=serve.PROJECT)
