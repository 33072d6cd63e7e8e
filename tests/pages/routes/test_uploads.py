"""Uploaded files are held in memory: not more than a bound of one visit, nor of all."""

from types import SimpleNamespace

import anyio
import pytest
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.testclient import TestClient

from pages.routes import uploads
from pages.routes.uploads import IN_ALL, OF_SESSION, UploadLimit
from tests.words import chinese

LARGEST = 100


@pytest.fixture
def storage(monkeypatch) -> dict:
    """Files by session, as Streamlit holds them."""
    files: dict[str, dict] = {}
    manager = SimpleNamespace(file_storage=files)
    monkeypatch.setattr(uploads, "get_instance", lambda: SimpleNamespace(uploaded_file_mgr=manager))
    return files


@pytest.fixture
def client(storage):
    async def put(request: Request) -> Response:
        session, file = request.path_params["session"], request.path_params["file"]
        storage.setdefault(session, {})[file] = SimpleNamespace(data=await request.body())
        return Response(status_code=204)

    async def wait(request: Request) -> Response:
        await anyio.sleep_forever()

    return TestClient(
        Starlette(
            routes=[
                Route("/_stcore/upload_file/slow/{file}", wait, methods=["PUT"]),
                Route("/base/_stcore/upload_file/{session}/{file}", put, methods=["PUT"]),
                Route("/other", lambda request: Response(), methods=["PUT"]),
            ],
            middleware=[Middleware(UploadLimit, LARGEST, 0.05)],
        )
    )


def upload(client, session: str, file: int, size: int = LARGEST) -> int:
    return client.put(f"/base/_stcore/upload_file/{session}/{file}", content=b"x" * size).status_code


def test_files_of_a_session_are_bounded(client, storage):
    assert [upload(client, "a", file) for file in range(3)] == [204, 204, 503]
    assert upload(client, "b", 0) == 204
    del storage["a"]["0"]
    assert upload(client, "a", 3, LARGEST + 1) == 204  # Streamlit itself refuses what is too large
    assert upload(client, "a", 4, 1) == 503


def test_files_of_all_sessions_are_bounded(client):
    statuses = [upload(client, str(session), file) for session in range(IN_ALL) for file in range(OF_SESSION)]
    assert statuses == [204] * IN_ALL + [503] * (IN_ALL * OF_SESSION - IN_ALL)


def test_a_file_of_unknown_size_counts_as_the_largest(client, storage):
    storage["a"] = {0: SimpleNamespace(data=b"x" * (LARGEST + 1))}
    response = client.put(
        "/base/_stcore/upload_file/a/1", content=iter([b"x"]), headers={"accept-language": "zh-CN,zh"}
    )
    assert response.status_code == 503 and chinese("pages.uploads_full") in response.text


def test_a_file_that_trickles_ends(client):
    for _ in range(2 * IN_ALL):  # each gives back what it reserved
        assert client.put("/_stcore/upload_file/slow/1", content=b"x" * LARGEST).status_code == 408


def test_other_requests_are_not_counted(client, storage):
    storage["a"] = {0: SimpleNamespace(data=b"x" * 10 * LARGEST * IN_ALL)}
    assert client.put("/other", content=b"x").status_code == 200
