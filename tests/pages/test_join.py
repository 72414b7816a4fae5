"""What the Join button says."""

import pytest

from explorer.ui import join
from tests.pages.conftest import Open, html


def test_an_app_for_this_machine_only_says_which_flag_opens_it(open_app: Open) -> None:
    app = open_app("scaling")
    app.button(key="join").click().run()
    assert not app.exception
    assert "listens on this machine only (127.0.0.1)" in html(app)
    assert "--host 0.0.0.0" in html(app)
    assert 'class="join"' not in html(app)


def test_an_app_for_the_network_shows_its_address(
    open_app: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(join, "_listens_on", lambda: ("10.1.2.3", 8502))
    app = open_app("scaling")
    app.button(key="join").click().run()
    assert '<p class="join">http://10.1.2.3:8502</p>' in html(app)
