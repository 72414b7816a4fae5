"""Every chart of every page says in words what it shows, with its numbers."""

import json
import re

import pytest

from tests.pages.conftest import Open
from tests.pages.test_block import VIEWS as BLOCK_VIEWS

SCREENS = [
    ("placeholder", {}),
    ("layernorm", {}),
    ("layernorm", {"layernorm_over": "batch"}),
    ("gelu", {}),
    ("shortcuts", {}),
    ("shortcuts", {"shortcuts_show": "factor"}),
    ("shortcuts", {"shortcuts_blocks": "true"}),
    ("generate", {"generate_tokens": "3"}),
    *(("block", {"block_view": view}) for view in BLOCK_VIEWS),
    *(
        ("scaling", {"scaling_view": view})
        for view in ("parameters", "memory", "compute", "growth", "compare")
    ),
    ("scaling", {"scaling_view": "growth", "scaling_second": "n_heads"}),
]
_SAYS = re.compile(
    r"[Ll]argest|smallest|larger|smaller|rises|falls|from .* to|differ|goes|minimum|most"
)


@pytest.mark.parametrize(("page", "query"), SCREENS, ids=str)
def test_a_chart_states_its_message_with_its_numbers(
    page: str, query: dict[str, str], open_app: Open
) -> None:
    app = open_app(page, **query)
    charts = [e for e in app.get("bidi_component") if e.proto.component_name == "chart"]
    alternatives = [json.loads(chart.proto.json)["alt"] for chart in charts]
    assert alternatives or page in ("placeholder", "generate")
    for alternative in alternatives:
        assert _SAYS.search(alternative), alternative
        assert re.search(r"\d", alternative), alternative
        assert alternative.endswith("."), alternative
        assert not re.search(r"\bnan\b|None|<|\{", alternative), alternative
