"""The command `attention-microscope`: starts the app, from any folder. `make run` does the same.

With the name of a command, such as `models`, it is `python -m viz_core`.
"""

import argparse
import os
import runpy
import socket
import sys
from collections.abc import Sequence

from viz_core.__main__ import main as run_command
from viz_core.commands.servers import run_servers
from viz_core.folders import IS_INSTALLED, PROJECT, SHIPPED
from viz_core.jobs.run_folder import folder
from viz_core.language import Translator, closest_language
from viz_core.records import Failure
from viz_core.secret_key import read_or_make
from viz_core.servers import place
from viz_core.variables import ALONE, HOSTS

LOOPBACK = ("localhost", "127.0.0.1", "::1")
EVERY_ADDRESS = ("0.0.0.0", "::")  # noqa: S104  # nosec B104 (only where the person who starts it says so)
COOKIE_KEY = ".cookie_key"  # in the folder of the runs: the servers sign and check Streamlit's cookies with one key
COOKIE_SECRET = "STREAMLIT_SERVER_COOKIE_SECRET"  # noqa: S105  # nosec B105 (the name of a variable)
_DOCUMENTATION = ("192.0.2.1", 9)  # an address that belongs to nobody (RFC 5737); nothing is sent to it


def main() -> None:
    """Starts the server in this process, until Ctrl-C; or runs a command."""
    if len(sys.argv) > 1 and not sys.argv[1].startswith("-"):
        sys.exit(run_command())
    arguments, rest = _parser().parse_known_args()
    say = Translator(closest_language(os.environ.get("LANG")))
    if place().count > 1:  # one that was started by the command with --servers, or by hand as one of several
        secret = read_or_make(folder() / COOKIE_KEY).hex()
        os.environ.setdefault(COOKIE_SECRET, secret)
    else:
        os.environ[ALONE] = "1" if is_alone(arguments.host, os.environ.get(HOSTS, "")) else ""
    if IS_INSTALLED and place().number == 1:
        print(say("network.folder", folder=str(PROJECT)), flush=True)
    if arguments.servers is not None:
        try:
            run_servers(arguments.servers, arguments.host, public_host(arguments.host), arguments.port, rest, say)
        except Failure as failure:
            sys.exit(say(failure.message))
        return
    sys.argv = ["streamlit", *streamlit_arguments(arguments.host, arguments.port, rest)]
    runpy.run_module("streamlit", run_name="__main__", alter_sys=True)


def is_alone(host: str, names: str) -> bool:
    """Whether only the person who starts the server can use it.

    That is the case if only this machine reaches it, and no proxy passes on one of its names.

    Args:
        host: Address of the server.
        names: The value of `VIZ_HOSTS`.
    """
    return host in LOOPBACK and not names


def streamlit_arguments(host: str, port: int | None, rest: Sequence[str]) -> list[str]:
    """The arguments for `streamlit`.

    Args:
        host: Address of the server.
        port: Its port.
        rest: Further options for `streamlit`.
    """
    arguments = ["run", str(SHIPPED / "app.py"), "--server.address", host]
    if port is not None:
        arguments += ["--server.port", str(port)]
    # The address that students type; if it is set, Streamlit does not ask a web service for it.
    if (address := public_host(host)) != host:
        arguments += ["--browser.serverAddress", address]
    return [*arguments, *rest]


def public_host(host: str) -> str:
    """What people type to reach a server that is bound to `host`."""
    return (_own_address() or host) if host in EVERY_ADDRESS else host


def _own_address() -> str | None:
    """The address of this machine in its network; None without a network."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(_DOCUMENTATION)
            return probe.getsockname()[0]
        except OSError:
            return None


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="attention-microscope",
        description="Starts Attention Microscope, an app that opens in the browser.",
        epilog="Every other option goes to Streamlit, such as --server.headless true. "
        "attention-microscope COMMAND is python -m viz_core COMMAND, which --help lists.",
        allow_abbrev=False,
    )
    parser.add_argument("--host", default="localhost", help="0.0.0.0 lets in everyone who reaches this machine")
    parser.add_argument("--port", type=int, help="by default 8501, or the next that is free")
    parser.add_argument("--servers", type=int, metavar="N", help="N servers behind a proxy, Caddy: docs/operate.md")
    return parser


if __name__ == "__main__":
    main()
