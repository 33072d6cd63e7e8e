"""The configuration of Caddy as the proxy of several servers, from version 2.6 on."""

from collections.abc import Sequence

from viz_core.language import Translator
from viz_core.servers import HEALTH, READY, VISITOR_COOKIE, VISITOR_HEADER, Place

CHECK_SECONDS = 1  # between two looks at whether a server is ready

# No log of requests: addresses hold what visitors typed. Slow connections end, as the app itself does not end them.
_HEAD = """\
{
	admin off
	log {
		level ERROR
		exclude http.log http.handlers
	}
	servers {
		timeouts {
			read_header 10s
		}
	}
}
"""
# A visitor stays at one server: the one that a hash of the signed cookie gives among those that are ready. Without a
# cookie an address stays at one.
_SITE = """\
http://:{port} {{
{bind}	@nobody not header_regexp Cookie (^|;\\s*){cookie}=
	request_header @nobody {header} {{remote_host}}
	@visitor header_regexp Cookie (^|;\\s*){cookie}=
	request_header @visitor {header} {{http.request.cookie.{cookie}}}
{polls}	handle {{
		reverse_proxy {upstreams} {{
			lb_policy header {header}
			health_uri {base_path}/{ready}
{common}
		}}
	}}
	handle_errors {{
		header Cache-Control no-store
		respond "{sorry}" {{err.status_code}}
	}}
}}
"""
# The poll is at the server of its first letter. If that is down, another says that there is no such poll.
_POLL = """\
	@poll{number} path_regexp /vote/[^A-Za-z0-9/]*[{letters}][^/]*$
	handle @poll{number} {{
		reverse_proxy {upstreams} {{
			lb_policy first
			health_uri {base_path}/{health}
{common}
		}}
	}}
"""
# While no server is ready, a request waits. An address that another proxy on this machine passes on is believed.
_COMMON = f"""\
			health_interval {CHECK_SECONDS}s
			health_timeout 10s
			lb_try_duration 10s
			lb_try_interval 100ms
			trusted_proxies 127.0.0.0/8 ::1/128"""


def caddyfile(host: str, port: int, upstreams: Sequence[str], base_path: str = "") -> str:
    """Return the Caddyfile for these servers.

    Args:
        host: Address that the proxy is bound to; empty for every one.
        port: Its port.
        upstreams: Host and port of each server, the first of which is number 1.
        base_path: Streamlit's `server.baseUrlPath`, as in `/viz`; empty without one.
    """
    polls = "".join(
        _POLL.format(
            number=number,
            letters=(letters := Place(number, len(upstreams)).letters) + letters.lower(),
            upstreams=" ".join([upstream, *(other for other in upstreams if other != upstream)]),
            base_path=base_path,
            health=HEALTH,
            common=_COMMON,
        )
        for number, upstream in enumerate(upstreams, 1)
    )
    site = _SITE.format(
        port=port,
        bind=f"\tbind {host}\n" if host else "",
        cookie=VISITOR_COOKIE,
        header=VISITOR_HEADER,
        polls=polls,
        upstreams=" ".join(upstreams),
        base_path=base_path,
        ready=READY,
        common=_COMMON,
        sorry=" ".join(Translator(language)("network.no_server_ready") for language in ("en", "zh")),
    )
    return f"{_HEAD}\n{site}"
