"""Which answer is right, against figures counted by hand and against models made to differ."""

from dataclasses import replace

import pytest
import torch

from explorer.measure.asked import Offer, Subject
from explorer.measure.questions import QUESTIONS
from explorer.measure.run_answers import (
    find_favourite_key,
    find_negative_hidden,
    find_repeated_passes,
    find_smallest_gradient,
    find_without_softmax,
)
from gptcore import CONFIGS, GPT_CONFIG_124M, GPTConfig, GPTModel, build_model

IDS = (1, 2, 3, 4, 5)
TIED = replace(GPT_CONFIG_124M, tie_weights=True)


def offered(
    name: str,
    cfg: GPTConfig = GPT_CONFIG_124M,
    token_ids: tuple[int, ...] = IDS,
    network: tuple[int, int, str] = (5, 3, "gelu"),
) -> Offer:
    offer = QUESTIONS[name].offer(Subject(cfg, token_ids, 123, network))
    assert offer is not None
    return offer


def right(name: str, cfg: GPTConfig = GPT_CONFIG_124M, **subject: object) -> tuple[str, object]:
    """Return the right answer, and the figure that it offers."""
    offer = offered(name, cfg, **subject)  # type: ignore[arg-type]
    assert offer.truth is not None
    return offer.truth.right, offer.figures.get(offer.truth.right)


def test_every_page_asks_and_every_truth_is_among_what_is_offered() -> None:
    assert {question.page for question in QUESTIONS.values()} == {
        *("overview", "placeholder", "layernorm", "gelu"),
        *("shortcuts", "block", "scaling", "generate"),
    }
    for name, question in QUESTIONS.items():
        offer = offered(name)
        assert (offer.truth is None) == (question.find is not None), name
        assert offer.truth is None or offer.truth.right in offer.options, name
        assert 2 <= len(offer.options) <= 6, name


def test_the_right_answer_is_not_always_in_one_place() -> None:
    places = {
        offer.options.index(offer.truth.right)
        for offer in map(offered, QUESTIONS)
        if offer.truth is not None
    }
    assert places >= {0, 1, 2, 3}


@pytest.mark.parametrize(
    ("name", "cfg", "answer", "figure"),
    [
        ("total_parameters", GPT_CONFIG_124M, "untied", 163_009_536),
        ("total_parameters", TIED, "tied", 124_412_160),
        ("tying_saves", GPT_CONFIG_124M, "head", 50_257 * 768),
        ("tying_saves", TIED, "none", 0),
        ("largest_part", GPT_CONFIG_124M, "blocks", 85_026_816),
        ("largest_part", CONFIGS["gpt-nano"], "tables", 2 * 50_257 * 48),
        (
            "largest_part",
            replace(GPT_CONFIG_124M, context_length=300_000),
            "positions",
            230_400_000,
        ),
        ("more_heads", GPT_CONFIG_124M, "same", 0),
        ("shell_shape", GPT_CONFIG_124M, "scores", "1, 5, 50,257"),
        ("shell_parameters", GPT_CONFIG_124M, "ends", 77_981_184),
        ("shell_parameters", TIED, "lookups", (50_257 + 1024) * 768),
        ("variance_divisor", GPT_CONFIG_124M, "n", 768),
        ("variance_divisor", CONFIGS["gpt-nano"], "n", 48),
        ("norm_axis", GPT_CONFIG_124M, "tokens", 5),
        ("mask_parameters", GPT_CONFIG_124M, "none", 0),
        ("deciding_scores", GPT_CONFIG_124M, "last", 50_257),
    ],
)
def test_the_right_figure_is_the_one_counted_by_hand(
    name: str, cfg: GPTConfig, answer: str, figure: object
) -> None:
    assert right(name, cfg) == (answer, figure)


def test_mib_are_more_mb() -> None:
    figures = offered("megabytes").figures
    assert right("megabytes")[0] == "more"
    assert figures["more"] == pytest.approx(652.038144)
    assert figures["alike"] == pytest.approx(621.83203125)


@pytest.mark.parametrize("cfg", [GPT_CONFIG_124M, TIED])
def test_tying_saves_no_flop(cfg: GPTConfig) -> None:
    offer = offered("tying_flops", cfg)
    assert right("tying_flops", cfg)[0] == "same"
    assert offer.figures["head"] == 2 * 50_257 * 768


def test_wrong_head_counts_are_what_a_head_of_full_size_would_add() -> None:
    figures = offered("more_heads").figures
    assert figures["other"] == 24
    assert figures["whole_heads"] == 12 * 12 * 4 * 768 * 64
    assert figures["projection"] == 12 * 12 * 768 * 64


def test_what_leaves_nothing_to_ask_is_not_asked() -> None:
    one = GPTConfig(101, 13, 1, 1, 1, 0.0, False)
    for name, subject in (
        ("more_heads", Subject(one, IDS, 1)),
        ("variance_divisor", Subject(one, IDS, 1)),
        ("favourite_key", Subject(one, IDS[:1], 1)),
        ("norm_axis", Subject(one, IDS[:1], 1)),
    ):
        assert QUESTIONS[name].offer(subject) is None


def test_gelu_is_flat_at_its_minimum_and_not_at_0() -> None:
    figures = offered("stationary_point").figures
    assert figures["dip"] == pytest.approx(-0.75246, abs=1e-4)
    assert figures["slope_at_0"] == 0.5


@pytest.mark.parametrize(("depth", "added"), [(5, 4), (2, 1), (40, 39)])
def test_the_last_layer_has_no_shortcut(depth: int, added: int) -> None:
    assert right("shortcut_count", network=(depth, 3, "gelu")) == ("inner", added)


def test_the_smallest_gradient_is_where_the_book_s_figures_have_it() -> None:
    truth = find_smallest_gradient(5, 3, "gelu", 123)
    assert truth.right == "between"
    assert truth.figures["layer"] == 1
    assert truth.figures["smallest"] == pytest.approx(1.2011161e-4, rel=1e-4)


@pytest.mark.parametrize(
    ("depth", "seed", "answer"), [(5, 1, "first"), (2, 0, "first"), (2, 9, "last"), (2, 3, "alike")]
)
def test_another_seed_has_its_smallest_gradient_elsewhere(
    depth: int, seed: int, answer: str
) -> None:
    truth = find_smallest_gradient(depth, 3, "gelu", seed)
    assert truth.right == answer
    assert float(truth.figures["smallest"]) == min(
        float(truth.figures[layer]) for layer in ("first", "last")
    )


def test_dead_relus_leave_all_gradients_alike() -> None:
    dead = next(
        truth
        for seed in range(200)
        if (truth := find_smallest_gradient(12, 2, "relu", seed)).figures["largest"] == 0
    )
    assert dead.right == "alike"


def test_untrained_attention_is_near_uniform(tiny_model: GPTModel) -> None:
    truth = find_favourite_key(tiny_model, IDS)
    assert truth.right == "even"
    assert 90 < float(truth.figures["share_percent"]) <= 100


def test_sharp_queries_and_keys_are_not_near_uniform(tiny: GPTConfig) -> None:
    model = build_model(tiny, 1)  # its own, changed and thrown away
    with torch.no_grad():
        for block in model.trf_blocks:
            block.att.W_query.weight.mul_(60)
    assert find_favourite_key(model, IDS).right != "even"


@pytest.mark.parametrize(("drop_rate", "answer"), [(0.1, "eval"), (0.0, "both")])
def test_train_mode_repeats_itself_only_without_dropout(
    tiny: GPTConfig, drop_rate: float, answer: str
) -> None:
    model = build_model(replace(tiny, drop_rate=drop_rate), 1)
    before = torch.get_rng_state()
    truth = find_repeated_passes(model, IDS)
    assert truth.right == answer
    assert truth.figures["eval_gap"] == 0
    assert not model.training
    assert torch.equal(torch.get_rng_state(), before)


def test_the_share_below_0_after_gelu_follows_the_weights(tiny: GPTConfig) -> None:
    model = build_model(tiny, 1)
    truth = find_negative_hidden(model, IDS)
    assert truth.figures["values"] == 2 * 5 * 48
    with torch.no_grad():
        for shift, answer in ((2.0, "none"), (-2.0, "most")):
            for block in model.trf_blocks:
                block.ff.layers[0].bias.fill_(shift)
            assert find_negative_hidden(model, IDS).right == answer


def test_softmax_changes_no_token(tiny_model: GPTModel) -> None:
    truth = find_without_softmax(tiny_model, IDS)
    assert truth.right == "none"
    assert truth.figures["changed"] == 0


def test_no_question_draws_from_the_global_random_state() -> None:
    before = torch.get_rng_state()
    for name in QUESTIONS:
        offered(name)
    assert torch.equal(torch.get_rng_state(), before)
