"""The page that counts configurations."""

import subprocess
import sys
from dataclasses import replace
from html import unescape

import pytest
from streamlit.testing.v1 import AppTest

from explorer import measure
from explorer.ui.controls import CONTROLS, PAGES
from gptcore import CONFIGS, GPT_CONFIG_124M, count_parameters
from tests.pages.conftest import ROOT, Open, figures, html, notice

VIEWS = ("parameters", "tying", "memory", "compute", "growth", "compare")


def button(app: AppTest, label: str) -> None:
    next(one for one in app.button if one.label == label).click().run()


def sentences(app: AppTest) -> str:
    """Return what the page says above the checks against the book, as it is read."""
    return unescape(html(app).split("Matches the book")[0])


def test_the_page_is_painted_before_torch_is_imported() -> None:
    code = """
import sys
from pathlib import Path
from streamlit.testing.v1 import AppTest
from explorer.ui import show, warm_up
from tests.pages.conftest import figures
warm_up.import_torch_in_background = lambda: None  # it would do so after the first page
show.references = lambda page: print("torch" in sys.modules)  # the last thing on the page
for view in ("parameters", "memory", "compute", "growth", "compare"):
    app = AppTest.from_file("explorer/app.py", default_timeout=60)
    app.query_params["scaling_view"] = view
    app.switch_page(str(Path("pages/scaling.py").resolve()))
    app.run()
    assert not app.exception and figures(app)
"""
    ran = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert ran.stdout.split() == ["False"] * 5, ran.stderr


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("config", ["gpt-nano", "gpt2-small", "gpt3-175b"])
def test_every_view_runs_clean_at_every_size_and_matches_the_book(
    open_app: Open, view: str, config: str
) -> None:
    app = open_app("scaling", config=config, scaling_view=view)
    assert "✗ (" not in html(app)
    assert html(app).count("✓") >= 6
    assert 'role="alert"' not in html(app)


def test_the_smallest_configuration_there_is_can_be_shown_in_every_view(open_app: Open) -> None:
    smallest = {"emb_dim": "1", "n_heads": "1", "n_layers": "1", "context_length": "1"}
    for view in VIEWS:
        app = open_app("scaling", config="custom", scaling_view=view, **smallest)
        app.session_state["scaling_vocab_size"] = 1
        app.run()
        assert not app.exception


@pytest.mark.parametrize(
    ("key", "value"),
    [("emb_dim", 1536), ("n_layers", 24), ("n_heads", 24), ("context_length", 2048)],
)
def test_a_slider_changes_the_sidebars_configuration(open_app: Open, key: str, value: int) -> None:
    app = open_app("scaling", config="gpt2-small")
    app.select_slider(key=f"scaling_{key}").set_value(value).run()
    assert app.selectbox(key="config").value == "custom"
    assert app.number_input(key=key).value == value
    cfg = replace(GPT_CONFIG_124M, **{key: value})  # type: ignore[arg-type]
    assert f"Yours has {sum(count_parameters(cfg).values()):,} parameters" in notice(app)


@pytest.mark.parametrize("key", ["qkv_bias", "tie_weights"])
def test_a_switch_changes_the_sidebars_configuration(open_app: Open, key: str) -> None:
    app = open_app("scaling", config="gpt2-small")
    app.toggle(key=f"scaling_{key}").set_value(True).run()
    assert app.toggle(key=key).value is True
    cfg = replace(GPT_CONFIG_124M, **{key: True})  # type: ignore[arg-type]
    assert f"{sum(count_parameters(cfg).values()):,}" in notice(app)


def test_the_dropout_rate_changes_what_is_kept_for_backward(open_app: Open) -> None:
    app = open_app("scaling", config="gpt2-small", scaling_view="memory")
    before = notice(app)
    app.number_input(key="scaling_drop_rate").set_value(0.0).run()
    assert app.number_input(key="drop_rate").value == 0.0
    assert notice(app) != before


def test_the_vocabulary_is_the_pages_own(open_app: Open) -> None:
    app = open_app("scaling", config="gpt2-small")
    app.select_slider(key="scaling_vocab_size").set_value(1024).run()
    cfg = replace(GPT_CONFIG_124M, vocab_size=1024)
    assert f"Yours has {sum(count_parameters(cfg).values()):,} parameters" in notice(app)
    assert app.selectbox(key="config").value == "gpt2-small"


def test_a_width_the_heads_cannot_share_says_the_rule_and_is_mended_by_a_click(
    open_app: Open,
) -> None:
    app = open_app("scaling", config="gpt2-small")
    app.select_slider(key="scaling_emb_dim").set_value(1024).run()
    assert "emb_dim must be divisible by n_heads" in html(app)
    assert "163,009,536" in notice(app)  # the last valid one stays
    assert app.select_slider(key="scaling_emb_dim").value == 1024
    button(app, "n_heads 16")
    assert "must be divisible" not in html(app)
    assert app.number_input(key="n_heads").value == 16
    assert app.number_input(key="emb_dim").value == 1024


def test_the_other_click_mends_the_width(open_app: Open) -> None:
    app = open_app("scaling", config="custom", emb_dim="1000", n_heads="12")
    button(app, "emb_dim 996")
    assert app.number_input(key="emb_dim").value == 996
    assert "must be divisible" not in html(app)


def test_absolute_bars_have_one_scale(open_app: Open) -> None:
    app = open_app("scaling", scaling_show="absolute")
    assert app.segmented_control(key="scaling_show").value == "absolute"


def test_the_larger_variants_are_one_click_each(open_app: Open) -> None:
    app = open_app("scaling", config="gpt2-small", scaling_variants="true")
    button(app, "gpt2-xl")
    assert app.selectbox(key="config").value == "gpt2-xl"
    assert "1,637,792,000" in notice(app)


def test_building_for_real_says_the_shape_and_that_the_count_holds(open_app: Open) -> None:
    app = open_app("scaling", config="gpt-nano", scaling_variants="true")
    button(app, "Build it for real and run the prompt")
    assert "logits of shape (1, 4, 50,257)" in sentences(app)
    assert "4,912,224 parameters, as counted" in sentences(app)


def test_what_does_not_fit_is_refused_with_the_figures(open_app: Open) -> None:
    app = open_app("scaling", config="gpt3-175b", scaling_variants="true")
    button(app, "Build it for real and run the prompt")
    assert "This configuration needs" in html(app)
    assert "GiB" in html(app).split("This configuration needs")[1][:60]


def test_tying_is_one_tensor_and_untied_two(open_app: Open) -> None:
    app = open_app("scaling", scaling_view="tying")
    assert "to 5: it moved with it" in sentences(app)
    assert "is True: one tensor" in sentences(app)
    app.toggle(key="scaling_demo_tied").set_value(False).run()
    assert "it stayed as it was" in sentences(app)
    assert "is False: two tensors" in sentences(app)
    app.number_input(key="scaling_demo_value").set_value(-2.5).run()
    assert "was set to −2.500" in sentences(app)


def test_generating_needs_a_cache_and_no_gradients(open_app: Open) -> None:
    app = open_app("scaling", config="gpt2-small", scaling_view="memory")
    assert "AdamW states" in figures(app)[0]
    app.segmented_control(key="scaling_purpose").set_value("generate").run()
    spec = figures(app)[0]
    assert "KV cache" in spec
    assert "AdamW" not in spec


def test_training_in_int8_is_refused_in_a_sentence(open_app: Open) -> None:
    app = open_app("scaling", scaling_view="memory", scaling_precision="int8")
    assert "int8 is for generating; train in float32 or float16 or bfloat16" in html(app)


@pytest.mark.parametrize("key", ["scaling_batch", "scaling_length"])
def test_batch_and_length_change_the_activations(open_app: Open, key: str) -> None:
    app = open_app("scaling", config="gpt2-small", scaling_view="memory", scaling_length="100")
    before = notice(app)
    app.number_input(key=key).set_value(64).run()
    assert notice(app) != before


def test_fused_kernels_are_counted_apart(open_app: Open) -> None:
    app = open_app("scaling", config="gpt2-small", scaling_view="memory")
    before = figures(app)[0]
    app.toggle(key="scaling_fused").set_value(True).run()
    assert figures(app)[0] != before


def test_a_smaller_device_no_longer_fits_and_a_faster_one_decodes_faster(open_app: Open) -> None:
    app = open_app("scaling", config="gpt2-small", scaling_view="memory")
    assert html(app).count("✓ fits") == 5
    app.number_input(key="scaling_memory_0").set_value(1).run()
    assert html(app).count("✗ too large") == 1
    app.number_input(key="scaling_bandwidth_0").set_value(100_000).run()
    assert "1: 1 GB, 100,000 GB/s" in html(app)


def test_gpt3_on_one_v100_takes_355_years(open_app: Open) -> None:
    app = open_app("scaling", config="gpt2-small", scaling_view="compute", scaling_tflops="100")
    button(app, "GPT-3 on one V100")
    assert app.selectbox(key="config").value == "gpt3-175b"
    assert "3.14 × 10²³ FLOPs, 355.7 years on 1 device" in sentences(app)
    app.number_input(key="scaling_tflops").set_value(15.0).run()
    assert "663.9 years" in sentences(app)


@pytest.mark.parametrize(
    ("key", "value"),
    [("scaling_tokens", 10.0), ("scaling_utilisation", 50), ("scaling_devices", 8)],
)
def test_training_time_follows_every_input(open_app: Open, key: str, value: float) -> None:
    app = open_app("scaling", config="gpt2-small", scaling_view="compute")
    before = sentences(app)
    app.number_input(key=key).set_value(value).run()
    assert sentences(app) != before


def test_growth_says_the_slope_and_the_border(open_app: Open) -> None:
    app = open_app("scaling", config="gpt2-small", scaling_view="growth")
    assert "The blocks outweigh embeddings and head from emb_dim = 708." in sentences(app)
    app.selectbox(key="scaling_quantity").set_value("block").run()
    assert "Doubling emb_dim from 768 multiplies a block's parameters by 3.998." in sentences(app)
    app.selectbox(key="scaling_sweep").set_value("n_layers").run()
    assert "Doubling n_layers from 12 multiplies a block's parameters by 1." in sentences(app)


def test_two_fields_make_a_heat_map(open_app: Open) -> None:
    app = open_app("scaling", config="gpt2-small", scaling_view="growth")
    app.selectbox(key="scaling_second").set_value("n_heads").run()
    assert "heatmap" in figures(app)[0]


def test_every_quantity_grows_with_every_field_on_both_scales(open_app: Open) -> None:
    app = open_app("scaling", scaling_view="growth")
    for quantity in measure.QUANTITIES:
        app.selectbox(key="scaling_quantity").set_value(quantity)
        for field in measure.LIMITS:
            app.selectbox(key="scaling_sweep").set_value(field).run()
            assert not app.exception
    app.segmented_control(key="scaling_scale").set_value("linear").run()
    assert not app.exception


def test_pins_stand_side_by_side_up_to_four_and_can_be_taken_away(open_app: Open) -> None:
    app = open_app("scaling", config="gpt2-small", scaling_view="compare")
    button(app, "Pin this one")
    assert "1: gpt2-small" in html(app)
    for name in ("gpt2-medium", "gpt2-large", "gpt-mini"):
        app.selectbox(key="config").set_value(name).run()
        button(app, "Pin this one")
    app.selectbox(key="config").set_value("gpt-nano").run()
    assert next(one for one in app.button if one.label == "Pin this one").disabled
    assert "4: gpt-mini" in html(app)
    button(app, "Unpin 2: gpt2-medium")
    assert "gpt2-medium" not in html(app)


def test_pins_come_with_a_link(open_app: Open) -> None:
    pins = measure.write_pins([CONFIGS["gpt2-xl"], CONFIGS["gpt2-small"]])
    app = open_app("scaling", scaling_view="compare", scaling_pins=pins)
    assert "0.003 times the parameters of 1: gpt2-xl: 4,912,224 against 1,637,792,000." in notice(
        app
    )
    assert "scaling_pins=50257_1024_1600_25_48_0.1_0_0" in html(app)


@pytest.mark.parametrize("name", ["gpt2-medium", "gpt3-175b"])
@pytest.mark.parametrize("write", [measure.as_json, measure.as_book_dict, measure.as_call])
def test_what_was_copied_can_be_pasted(open_app: Open, name: str, write: object) -> None:
    app = open_app("scaling", scaling_view="compare")
    app.text_area(key="scaling_paste").set_value(write(CONFIGS[name])).run()  # type: ignore[operator]
    button(app, "Use it")
    assert app.selectbox(key="config").value == name


def test_a_pasted_custom_configuration_fills_every_field(open_app: Open) -> None:
    cfg = replace(CONFIGS["gpt-nano"], vocab_size=300, drop_rate=0.25, qkv_bias=True)
    app = open_app("scaling", scaling_view="compare")
    app.text_area(key="scaling_paste").set_value(measure.as_book_dict(cfg)).run()
    button(app, "Use it")
    assert app.selectbox(key="config").value == "custom"
    assert app.number_input(key="drop_rate").value == 0.25
    assert app.toggle(key="qkv_bias").value is True
    assert app.select_slider(key="scaling_vocab_size").value == 300


@pytest.mark.parametrize(
    "garbage",
    [
        "",
        "__import__('os').system('true')",
        "{'emb_dim': 1",
        "[" * 10_000,
        '{"model_type": "llama", "n_embd": 8}',
        '{"emb_dim": 99999999999999999999}',
        "<script>alert(1)</script>",
        "GPTConfig(vocab_size=50257, context_length=9000, emb_dim=768, n_heads=12, n_layers=12,"
        " drop_rate=0.1, qkv_bias=False)",
        "🦜" * 100,
    ],
)
def test_pasted_garbage_is_one_sentence_and_changes_nothing(open_app: Open, garbage: str) -> None:
    app = open_app("scaling", scaling_view="compare")
    app.text_area(key="scaling_paste").set_value(garbage).run()
    button(app, "Use it")
    assert sentences(app).count("That can't be used: ") == 1
    assert "<script" not in html(app)
    assert app.selectbox(key="config").value == "gpt-nano"
    assert not app.exception


@pytest.mark.parametrize(
    ("part", "value"),
    [
        ("scaling_view", "everything"),
        ("scaling_vocab_size", "0"),
        ("scaling_length", "1e3"),
        ("scaling_tokens", "nan"),
        ("scaling_memory_0", "-8"),
        ("scaling_pins", "1_2_3"),
        ("scaling_pins", "50257_1024_768_7_12_0.1_0_0"),
        ("scaling_emb_dim", "768"),
        ("scaling_paste", "x"),
    ],
)
def test_a_damaged_part_of_a_link_is_dropped_in_a_sentence(
    open_app: Open, part: str, value: str
) -> None:
    app = open_app("scaling", **{part: value})
    assert f"The link's part “{part}”" in sentences(app)
    assert "dropped" in sentences(app)


def test_a_length_beyond_the_context_is_brought_back(open_app: Open) -> None:
    app = open_app("scaling", scaling_view="memory", scaling_length="8192")
    assert app.number_input(key="scaling_length").value == CONFIGS["gpt-nano"].context_length


def test_the_link_holds_the_pages_controls_but_neither_mirrors_nor_drafts(open_app: Open) -> None:
    app = open_app("scaling")
    query = html(app).split('data-query="')[1].split('"')[0]
    names = {part.split("=")[0] for part in query.replace("&amp;", "&").split("&")}
    assert names == {one.key for one in PAGES if one.page == "scaling" and one.linked}
    assert not CONTROLS["scaling_emb_dim"].linked
