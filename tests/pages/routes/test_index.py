"""The page that a browser loads before anything else."""

import re

import pytest
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.responses import PlainTextResponse
from starlette.routing import Mount, Route
from starlette.testclient import TestClient

from pages.routes import index
from pages.routes.headers import SafetyHeaders


async def _streamlit(scope, receive, send):
    await PlainTextResponse("Streamlit's")(scope, receive, send)


ROUTES = [Route(f"/{index.PATH}", index.index), Mount("/", _streamlit)]
CLIENT = TestClient(Starlette(routes=ROUTES, middleware=[Middleware(SafetyHeaders)]), follow_redirects=False)


@pytest.mark.parametrize(
    "path", ["/", "/sentiment", "/own-reviews-0123456789abcdef01234567", "/does-not-exist", "/情感"]
)
def test_a_page_says_where_the_server_is_before_any_other_script(path):
    response = CLIENT.get(path)
    first, *_ = re.findall("<script.*?</script>", response.text, re.S)
    assert "BACKEND_BASE_URL" in first and response.headers["Cache-Control"] == "no-cache"
    assert CLIENT.get(path).text == response.text


@pytest.mark.parametrize("path", ["/favicon.png", "/static/js/index.js", "/oauth2callback", "/_stcore/health"])
def test_files_and_routes_of_streamlit_stay_its_own(path):
    assert CLIENT.get(path).text == "Streamlit's"


def test_home_has_one_address_and_keeps_what_it_shows():
    response = CLIENT.get("/home?lang=zh&text=a+film")
    assert (response.status_code, response.headers["Location"]) == (308, "./?lang=zh&text=a+film")


def test_another_streamlit_is_noticed(monkeypatch, tmp_path):
    (tmp_path / "static").mkdir()
    (tmp_path / "static/index.html").write_text("<html><body></body></html>")
    monkeypatch.setattr("streamlit.__file__", str(tmp_path / "__init__.py"))
    with pytest.raises(ValueError, match="head"):
        index.html.__wrapped__()
