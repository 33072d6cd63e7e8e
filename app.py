"""Attention Microscope: `streamlit run app.py` starts the server, with everything loaded before the first visitor."""

import asyncio
import os
import posixpath
from contextlib import asynccontextmanager
from importlib import import_module
from threading import Thread

import streamlit as st
from starlette.middleware import Middleware
from starlette.routing import BaseRoute, Mount, Route
from starlette.staticfiles import StaticFiles

from pages.routes import (
    explain,
    generate,
    heads,
    index,
    inside,
    matrices,
    metrics,
    translate,
    votes,
    whatif,
    word_effects,
)
from pages.routes.access import Access
from pages.routes.headers import SafetyHeaders, may_be_framed
from pages.routes.readiness import Readiness, obey_supervisor, this_server
from pages.routes.request_log import RequestLog
from pages.routes.reruns import Reruns
from pages.routes.sessions import SessionLimit
from pages.routes.uploads import UploadLimit
from pages.shared.cache import freeze_garbage_collector, warm_up
from pages.shared.network import allow_connections, describe_network
from pages.shared.other_models import follow_servers
from pages.shared.visitor import log_page_errors_once, show_page_error
from pages.shared.visitor_cookie import VisitorCookie
from viz_core.analysis.batching import reserve_core
from viz_core.folders import DOCUMENTS
from viz_core.language import Translator, closest_language
from viz_core.log import set_up_log
from viz_core.servers import place
from viz_core.training import door


@asynccontextmanager
async def lifespan(app: st.App):
    set_up_log()
    log_page_errors_once()
    allow_connections()
    # Imports that the first visitor of each page would otherwise wait for.
    for module in ("pages.kinds", "pages.inside.page", "pages.training.page"):
        import_module(module)
    Thread(target=door.devices, daemon=True).start()  # a process of its own inspects GPUs for some seconds
    door.restore_models()
    reserve_core(place().count)
    warm_up()
    freeze_garbage_collector()
    say_what_is_open()
    tasks = [asyncio.create_task(tidy_own_tasks())]
    if place().count > 1:
        await asyncio.to_thread(follow_servers)
        tasks.append(asyncio.create_task(keep_following_servers()))
        obey_supervisor()
    this_server.is_ready = True
    yield
    this_server.is_ready = False
    for task in tasks:
        task.cancel()


async def tidy_own_tasks() -> None:
    """Every hour, deletes what people do not want to keep of their own data, or not any longer."""
    while True:
        await asyncio.to_thread(door.tidy_own_tasks)
        await asyncio.sleep(3600)


async def keep_following_servers() -> None:
    """Every second, opens and closes the models from elsewhere that other servers have opened and closed."""
    while True:
        await asyncio.sleep(1)
        await asyncio.to_thread(follow_servers)


def say_what_is_open() -> None:
    """Prints who reaches the server and what they can do, unless it is this machine alone. Of several servers the first
    says it, of their proxy."""
    if place().number > 1:
        return
    say = Translator(closest_language(os.environ.get("LANG")))
    address, port = st.get_option("server.address") or "", st.get_option("server.port")
    if place().count > 1:
        address, port = st.get_option("browser.serverAddress"), st.get_option("browser.serverPort")
    for message in describe_network(address, port, st.get_option("server.maxUploadSize")):
        print(say(message), flush=True)


base_path = posixpath.join("/", st.get_option("server.baseUrlPath").strip("/"))
routes: list[BaseRoute] = [
    Route(posixpath.join(base_path, path), endpoint, methods=["POST"])
    for path, endpoint in (
        (explain.PATH, explain.explain),
        (generate.PATH, generate.generate),
        (heads.PATH, heads.heads),
        (inside.PATH, inside.inside_head),
        (matrices.PATH, matrices.matrices),
        (translate.PATH, translate.translate),
        (whatif.PATH, whatif.whatif),
        (word_effects.PATH, word_effects.effects),
    )
]
routes += [
    Route(posixpath.join(base_path, path), endpoint, methods=methods)
    for path, endpoint, methods in (
        (metrics.PATH, metrics.metrics, ["GET"]),
        (votes.PATH, votes.type_code, ["GET"]),
        (f"{votes.PATH}/{{code}}", votes.vote, ["GET", "POST"]),
    )
]
if DOCUMENTS.is_dir():
    routes.append(Mount(posixpath.join(base_path, "documents"), StaticFiles(directory=DOCUMENTS, html=True)))
routes.append(Route(posixpath.join(base_path, index.PATH), index.index))  # the last: its path fits every page
app = st.App(
    "pages/frame.py",
    lifespan=lifespan,
    on_script_error=show_page_error,
    middleware=[
        Middleware(Readiness, base_path=base_path),
        Middleware(RequestLog),
        Middleware(metrics.Metrics),
        Middleware(SafetyHeaders),
        Middleware(Access),
        Middleware(SessionLimit),
        Middleware(Reruns),
        Middleware(UploadLimit),
        Middleware(VisitorCookie, framed=may_be_framed()),
    ],
    routes=routes,
)
