"""Who may use the server from where: only pages of its own, under names that are its own.

A page elsewhere can have the browser of a visitor send requests here: it names itself in `Origin`. It can also have its
own name resolve to the address of this server (DNS rebinding), and is then of the same origin as far as the browser
knows: it stands in `Host`.
"""

import logging
import os
import re
import socket
from collections.abc import Iterable
from ipaddress import ip_address
from urllib.parse import urlsplit

import psutil
from starlette.datastructures import Headers
from starlette.responses import PlainTextResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

from viz_core.language import Translator, closest_language
from viz_core.servers import place
from viz_core.variables import HOSTS

# What Streamlit tells anybody about its sessions and caches.
_CLOSED = ("/_stcore/metrics",)
_SHOWN = 100  # characters of a refused name
_log = logging.getLogger(__name__)


class Access:
    """ASGI middleware that refuses foreign hosts and origins, with a sentence, for requests and web sockets.

    names: besides localhost, the address at which a request arrives, and the names of this machine; `*.school.edu` are
    all names that end so, and `*` is any host.
    """

    def __init__(self, app: ASGIApp, names: Iterable[str] | None = None) -> None:
        self.app = app
        self._names = {name.lower().rstrip(".") for name in (read_names() if names is None else names)}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket") or (refused := self._refusal(scope)) is None:
            await self.app(scope, receive, send)
        elif scope["type"] == "http":
            await refused(scope, receive, send)
        else:
            await send({"type": "websocket.close", "code": 1008})

    def _refusal(self, scope: Scope) -> Response | None:
        headers = Headers(scope=scope)
        say = Translator(closest_language(headers.get("accept-language", "").split(",")[0]))
        hosts, origins = headers.getlist("host"), headers.getlist("origin")
        if len(hosts) != 1 or not self._is_own(hosts[0], scope):
            _log.warning("Refused the host %a, which is not in %s", " ".join(hosts)[:_SHOWN], HOSTS)
            return PlainTextResponse(say("pages.host_refused", host=" ".join(hosts)[:_SHOWN], variable=HOSTS), 403)
        if any(not self._is_same(origin, hosts[0]) for origin in origins):
            _log.warning("Refused the origin %a, which is not in %s", " ".join(origins)[:_SHOWN], HOSTS)
            return PlainTextResponse(
                say("pages.origin_refused", origin=" ".join(origins)[:_SHOWN], variable=HOSTS), 403
            )
        if scope["path"].endswith(_CLOSED):
            return PlainTextResponse("", 404)
        return None

    def _is_own(self, host: str, scope: Scope) -> bool:
        name = host_name(f"//{host}")
        if name is None:
            return False
        address, arrived = _address(name), _address(str((scope.get("server") or ("",))[0]))
        if is_this_machine(name) or (address is not None and address == arrived):
            return True
        if address is not None and place().count > 1 and str(address) in own_addresses():
            return True  # it arrived at the proxy, which passed it on from this machine
        return name in own_names() or self._is_named(name)

    def _is_same(self, origin: str, host: str) -> bool:
        """Whether the page is of this host, or of one that is named: a proxy may not pass on the name it is called."""
        return urlsplit_netloc(origin) == host.lower() or self._is_named(host_name(origin), False)

    def _is_named(self, name: str | None, any_host: bool = True) -> bool:
        if name is None:
            return False
        endings = tuple(pattern[1:] for pattern in self._names if pattern.startswith("*."))
        return name in self._names or name.endswith(endings) or (any_host and "*" in self._names)


def read_names() -> list[str]:
    """The hosts that the environment allows."""
    return [name for name in re.split(r"[\s,]+", os.environ.get(HOSTS, "")) if name]


def own_names() -> set[str]:
    """What this machine calls itself."""
    name = socket.gethostname().lower()
    return {name, name.partition(".")[0], f"{name.partition('.')[0]}.local"}


def own_addresses() -> set[str]:
    """The IP addresses of this machine at the moment."""
    return {entry.address.partition("%")[0] for entries in psutil.net_if_addrs().values() for entry in entries}


def is_this_machine(name: str) -> bool:
    """Whether this is a name by which every machine calls itself."""
    address = _address(name)
    return name == "localhost" or name.endswith(".localhost") or (address is not None and address.is_loopback)


def host_name(url: str) -> str | None:
    """The host of an address, in lower case and without the port; None if it is none."""
    try:
        parts = urlsplit(url)
        valid = parts.hostname and parts.port != 0 and not (parts.username or parts.path.strip("/") or parts.query)
        return parts.hostname.lower().rstrip(".") if valid else None
    except ValueError:
        return None


def urlsplit_netloc(origin: str) -> str | None:
    try:
        return urlsplit(origin).netloc.lower()
    except ValueError:
        return None


def _address(name: str):
    """The IP address, without the zone, IPv4 also where it is written as IPv6; None for a name."""
    try:
        address = ip_address(name.strip("[]").partition("%")[0])
    except ValueError:
        return None
    return getattr(address, "ipv4_mapped", None) or address
