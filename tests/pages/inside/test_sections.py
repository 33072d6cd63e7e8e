"""The sections: the first in sight, the others behind a button, all with an address."""

import pytest

from pages.inside.page import FIRST, SECTIONS
from tests.pages.app import link_parameters, open_page

pytestmark = pytest.mark.usefixtures("runs_dir")


def offered(app) -> list[str]:
    return list(app.button_group(key="inside").options)


@pytest.mark.parametrize("section", [name for name in SECTIONS if name not in FIRST])
def test_a_section_behind_the_button_is_in_sight_once_it_is_chosen(section):
    app = open_page("inside")
    assert len(offered(app)) == len(FIRST)
    app.menu_button(key="more_sections").click(section).run()
    assert not app.exception and len(offered(app)) == len(FIRST) + 1
    assert link_parameters(app)["inside"] == section
    linked = open_page("inside", inside=section)
    assert linked.session_state["inside"] == section and len(offered(linked)) == len(FIRST) + 1
