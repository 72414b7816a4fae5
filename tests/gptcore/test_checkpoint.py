"""A checkpoint that Hugging Face wrote gives Hugging Face's logits; a damaged one, a sentence."""

import json
import re
import shutil
import struct
import time
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from safetensors.torch import load_file, save_file
from torch import Tensor
from transformers import GPT2Config, GPT2LMHeadModel

from gptcore import GPTConfig, GPTModel, generate_greedy, load_gpt2
from gptcore.building import make_model
from gptcore.checkpoint import check_gpt2, read_gpt2_config
from gptcore.identity import Checkpoint, ModelId

WEIGHTS = "model.safetensors"
INDEX = "model.safetensors.index.json"
THEIRS = {
    "vocab_size": 101,
    "n_positions": 13,
    "n_embd": 12,
    "n_head": 3,
    "n_layer": 2,
    "bos_token_id": 0,
    "eos_token_id": 0,
}


def hugging_face_model(tied: bool = True) -> GPT2LMHeadModel:
    """Build a tiny GPT-2 whose every parameter is random, norms and biases too."""
    model = GPT2LMHeadModel(GPT2Config(**THEIRS, tie_word_embeddings=tied)).eval()
    generator = torch.Generator().manual_seed(7)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.normal_(0, 0.4, generator=generator)
    return model


@pytest.fixture(scope="module")
def theirs() -> GPT2LMHeadModel:
    return hugging_face_model()


@pytest.fixture(scope="module")
def saved(theirs: GPT2LMHeadModel, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder as Hugging Face saves it; never written to."""
    folder = tmp_path_factory.mktemp("saved")
    theirs.save_pretrained(folder)
    return folder


@pytest.fixture
def folder(saved: Path, tmp_path: Path) -> Path:
    """A copy of the saved folder, to be damaged."""
    return Path(shutil.copytree(saved, tmp_path / "checkpoint"))


def edit_config(folder: Path, **fields: Any) -> None:
    path = folder / "config.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | fields))


def edit_tensors(folder: Path, edit: Callable[[dict[str, Tensor]], Any]) -> None:
    """Write the tensors anew after `edit` has changed their dictionary."""
    tensors = load_file(folder / WEIGHTS)
    edit(tensors)
    save_file(tensors, folder / WEIGHTS, metadata={"format": "pt"})


def refusal(folder: Path | str) -> str:
    """Return the sentence with which loading is refused, and checking too unless memory lacks."""
    with pytest.raises(ValueError, match=r"\w") as error:
        load_gpt2(folder)
    sentence = str(error.value)
    if "can't be allocated" not in sentence:  # only loading allocates
        with pytest.raises(ValueError, match=re.escape(sentence)):
            check_gpt2(folder)
    assert "\n" not in sentence
    assert len(sentence) < 500
    return sentence.replace(str(folder), "FOLDER")


def assert_agree(ours: GPTModel, theirs: GPT2LMHeadModel, atol: float = 1e-4) -> None:
    generator = torch.Generator().manual_seed(3)
    with torch.no_grad():
        for n_tokens in (1, 7, 13):
            ids = torch.randint(101, (3, n_tokens), generator=generator)
            expected = theirs(ids, use_cache=False).logits
            torch.testing.assert_close(ours(ids), expected, rtol=0, atol=atol)


# What Hugging Face saves is read as Hugging Face reads it.


@pytest.mark.parametrize("tied", [True, False], ids=["tied", "untied"])
def test_the_logits_and_the_greedy_tokens_are_hugging_faces(tied: bool, tmp_path: Path) -> None:
    theirs = hugging_face_model(tied)
    theirs.save_pretrained(tmp_path)
    ours = load_gpt2(tmp_path)
    assert ours.cfg == GPTConfig(101, 13, 12, 3, 2, 0.1, qkv_bias=True, tie_weights=tied)
    assert_agree(ours, theirs)
    prompt = [5, 100, 0, 42]
    expected = theirs.generate(
        torch.tensor([prompt]),
        attention_mask=torch.ones(1, 4),  # else it would take token 0 for padding
        max_new_tokens=9,
        do_sample=False,
        eos_token_id=None,
        pad_token_id=0,
    )
    assert generate_greedy(ours, prompt, 9) == expected[0].tolist()


@pytest.mark.parametrize("tied", [True, False], ids=["tied", "untied"])
def test_the_head_is_tied_where_the_configuration_ties_it(tied: bool, tmp_path: Path) -> None:
    hugging_face_model(tied).save_pretrained(tmp_path)
    ours = load_gpt2(tmp_path)
    assert (ours.out_head.weight is ours.tok_emb.weight) == tied


def test_a_checkpoint_without_the_prefix_is_the_same(folder: Path, theirs: GPT2LMHeadModel) -> None:
    def strip(tensors: dict[str, Tensor]) -> None:
        for name in list(tensors):
            tensors[name.removeprefix("transformer.")] = tensors.pop(name)

    edit_tensors(folder, strip)
    assert "wte.weight" in load_file(folder / WEIGHTS)
    assert_agree(load_gpt2(folder), theirs)


def test_a_checkpoint_in_shards_is_the_same(tmp_path: Path, theirs: GPT2LMHeadModel) -> None:
    theirs.save_pretrained(tmp_path, max_shard_size="4KB")
    assert not (tmp_path / WEIGHTS).exists()
    assert len(list(tmp_path.glob("*.safetensors"))) > 2
    assert_agree(load_gpt2(tmp_path), theirs)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float64])
def test_another_float_type_becomes_float32(folder: Path, dtype: torch.dtype) -> None:
    theirs = hugging_face_model().to(dtype)
    theirs.save_pretrained(folder)
    ours = load_gpt2(folder)
    assert {parameter.dtype for parameter in ours.parameters()} == {torch.float32}
    assert_agree(ours, theirs.to(torch.float32))


def test_an_old_checkpoint_may_carry_its_masks_along(folder: Path, theirs: GPT2LMHeadModel) -> None:
    def add_masks(tensors: dict[str, Tensor]) -> None:
        for block in range(2):
            mask = torch.ones(1, 1, 13, 13, dtype=torch.uint8).tril()
            tensors[f"transformer.h.{block}.attn.bias"] = mask
            tensors[f"transformer.h.{block}.attn.masked_bias"] = torch.tensor(-1e4)

    edit_tensors(folder, add_masks)
    assert_agree(load_gpt2(folder), theirs)


def test_a_tied_checkpoint_may_carry_a_copy_of_its_head(
    folder: Path, theirs: GPT2LMHeadModel
) -> None:
    def add_head(tensors: dict[str, Tensor]) -> None:
        tensors["lm_head.weight"] = tensors["transformer.wte.weight"].clone()

    edit_tensors(folder, add_head)
    ours = load_gpt2(folder)
    assert_agree(ours, theirs)
    assert ours.out_head.weight is ours.tok_emb.weight


def test_fields_that_are_left_out_have_hugging_faces_defaults(folder: Path) -> None:
    (folder / "config.json").write_text('{"model_type": "gpt2", "n_inner": 3072}')
    expected = GPTConfig(50257, 1024, 768, 12, 12, 0.1, qkv_bias=True, tie_weights=True)
    assert read_gpt2_config(folder) == expected
    defaults = GPT2Config()
    assert (defaults.vocab_size, defaults.n_positions, defaults.n_embd) == (50257, 1024, 768)
    assert (defaults.n_layer, defaults.n_head, defaults.resid_pdrop) == (12, 12, 0.1)


# What was loaded is a model like any other.


def test_a_loaded_model_is_ready_to_be_shared(folder: Path) -> None:
    before = torch.get_rng_state()
    ours = load_gpt2(str(folder))
    assert torch.equal(torch.get_rng_state(), before)
    assert not any(module.training for module in ours.modules())
    tensors = [*ours.parameters(), *ours.buffers()]
    assert not any(tensor.is_meta for tensor in tensors)
    own = [tensor.untyped_storage().nbytes() == tensor.nbytes for tensor in tensors]
    assert all(own), "a window on something larger"
    assert len({tensor.untyped_storage().data_ptr() for tensor in tensors}) == len(tensors)
    assert all(parameter.requires_grad for parameter in ours.parameters())
    built = GPTModel(ours.cfg)
    assert list(ours.state_dict()) == list(built.state_dict())
    masks = dict(built.named_buffers())
    assert all(torch.equal(mask, masks[name]) for name, mask in ours.named_buffers())


def test_a_loaded_model_outlives_its_files(folder: Path, theirs: GPT2LMHeadModel) -> None:
    ours = load_gpt2(folder)
    size = (folder / WEIGHTS).stat().st_size
    with (folder / WEIGHTS).open("r+b") as file:  # the very same file, in place
        file.write(b"\0" * size)
    assert_agree(ours, theirs)
    shutil.rmtree(folder)
    assert_agree(ours, theirs)


def test_checking_a_folder_gives_the_loaded_models_configuration(folder: Path) -> None:
    assert check_gpt2(folder) == load_gpt2(folder).cfg


def test_a_model_id_of_a_checkpoint_names_it_only_with_its_own_configuration(
    folder: Path, theirs: GPT2LMHeadModel
) -> None:
    cfg = read_gpt2_config(folder)
    assert_agree(make_model(ModelId(cfg, Checkpoint(str(folder)))), theirs)
    other = GPTConfig(101, 13, 12, 3, 3, 0.1, qkv_bias=True, tie_weights=True)
    (folder / WEIGHTS).unlink()  # it isn't even looked at
    with pytest.raises(ValueError, match=r"n_layers=2.*not.*n_layers=3"):
        make_model(ModelId(other, Checkpoint(str(folder))))


# config.json


def test_a_folder_that_is_none_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    for path in (tmp_path / "none", tmp_path / "file", "a\0b"):
        assert refusal(path) == "FOLDER is not a folder"


def test_a_missing_configuration_is_refused(folder: Path) -> None:
    (folder / "config.json").unlink()
    assert refusal(folder) == "FOLDER/config.json can't be read: No such file or directory"
    (folder / "config.json").mkdir()
    assert refusal(folder) == "FOLDER/config.json can't be read: Is a directory"


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{",
        b"model_type: gpt2",
        b"\xff\xfe\x00",
        b'{"model_type": "gpt2"',
        b"[" * 100_000,
        b'{"n_layer": ' + b"9" * 5_000 + b"}",
    ],
    ids=["empty", "brace", "yaml", "not UTF-8", "cut off", "deep", "number of 5,000 digits"],
)
def test_a_configuration_that_is_no_json_is_refused(folder: Path, content: bytes) -> None:
    (folder / "config.json").write_bytes(content)
    assert refusal(folder) == "FOLDER/config.json is not JSON"


@pytest.mark.parametrize(
    ("content", "kind"), [("[]", "list"), ("null", "NoneType"), ("5", "int"), ('"a"', "str")]
)
def test_a_configuration_that_is_no_object_is_refused(
    folder: Path, content: str, kind: str
) -> None:
    (folder / "config.json").write_text(content)
    assert refusal(folder) == f"FOLDER/config.json must hold a JSON object; got {kind}"


def test_a_huge_configuration_is_refused_unread(folder: Path) -> None:
    with (folder / "config.json").open("r+b") as file:
        file.truncate(2**40)  # sparse: a terabyte that takes no space
    assert refusal(folder) == "FOLDER/config.json is larger than 16 MiB"


@pytest.mark.parametrize(
    ("field", "value", "rule"),
    [
        ("model_type", "llama", "model_type must be 'gpt2'; got 'llama'"),
        ("model_type", None, "model_type must be 'gpt2'; got None"),
        ("activation_function", "relu", "activation_function must be 'gelu_new'; got 'relu'"),
        ("activation_function", "gelu", "activation_function must be 'gelu_new'; got 'gelu'"),
        ("layer_norm_epsilon", 1e-6, "layer_norm_epsilon must be 1e-05; got 1e-06"),
        ("layer_norm_epsilon", float("nan"), "layer_norm_epsilon must be 1e-05; got nan"),
        ("scale_attn_weights", False, "scale_attn_weights must be True; got False"),
        ("scale_attn_by_inverse_layer_idx", True, "must be False; got True"),
        ("add_cross_attention", True, "add_cross_attention must be False; got True"),
        ("activation_function", "x" * 10**6, "must be 'gelu_new'; got 'xxxx"),
        ("n_embd", "768", "emb_dim must be a whole number of at least 1; got '768'"),
        ("n_embd", 12.0, "emb_dim must be a whole number of at least 1; got 12.0"),
        ("n_embd", float("nan"), "emb_dim must be a whole number of at least 1; got nan"),
        ("n_embd", float("inf"), "emb_dim must be a whole number of at least 1; got inf"),
        ("n_embd", None, "emb_dim must be a whole number of at least 1; got None"),
        ("n_embd", [12], "emb_dim must be a whole number of at least 1; got [12]"),
        ("n_embd", 13, "emb_dim must be divisible by n_heads"),
        ("n_head", True, "n_heads must be a whole number of at least 1; got True"),
        ("n_head", 0, "n_heads must be a whole number of at least 1; got 0"),
        ("n_layer", -1, "n_layers must be a whole number of at least 1; got -1"),
        ("n_layer", {}, "n_layers must be a whole number of at least 1; got {}"),
        ("vocab_size", "101", "vocab_size must be a whole number of at least 1; got '101'"),
        ("n_positions", 0, "context_length must be a whole number of at least 1; got 0"),
        ("n_inner", 47, "n_inner must be 4 × n_embd; got 47"),
        ("n_inner", "48", "n_inner must be 4 × n_embd; got '48'"),
        ("resid_pdrop", float("nan"), "drop_rate must be a number of at least 0 and below 1"),
        ("resid_pdrop", 1, "drop_rate must be a number of at least 0 and below 1; got 1"),
        ("tie_word_embeddings", "yes", "tie_weights must be True or False; got 'yes'"),
    ],
)
def test_a_field_that_breaks_a_rule_is_refused(
    folder: Path, field: str, value: Any, rule: str
) -> None:
    edit_config(folder, **{field: value})
    sentence = refusal(folder)
    assert sentence.startswith("FOLDER/config.json: ")
    assert rule in sentence


def test_a_configuration_without_a_model_type_is_refused(folder: Path) -> None:
    (folder / "config.json").write_text("{}")
    assert "model_type must be 'gpt2'; got None" in refusal(folder)


@pytest.mark.parametrize("n_layer", [3, 10**9, 10**18])
def test_more_layers_than_the_file_holds_are_refused_at_once(folder: Path, n_layer: int) -> None:
    edit_config(folder, n_layer=n_layer)
    tracemalloc.start()
    start = time.process_time()
    sentence = refusal(folder)
    seconds, peak = time.process_time() - start, tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert sentence == "FOLDER lacks the tensor h.2.attn.c_attn.weight"
    assert seconds < 1
    assert peak < 2**20


@pytest.mark.parametrize(
    ("field", "rule"),
    [
        ("vocab_size", "wte.weight must have shape (1000000000000, 12); got (101, 12)"),
        ("n_positions", "wpe.weight must have shape (1000000000000, 12); got (13, 12)"),
        ("n_embd", "wte.weight must have shape (101, 1000000000000); got (101, 12)"),
    ],
)
def test_an_absurd_size_is_refused_before_anything_is_allocated(
    folder: Path, field: str, rule: str
) -> None:
    edit_config(folder, **{field: 10**12, "n_head": 1})
    assert refusal(folder) == f"FOLDER: {rule}"


def test_masks_that_no_memory_holds_are_refused_with_their_size(folder: Path) -> None:
    n_positions = 4_000_000  # its embeddings are small, its masks are not
    edit_config(folder, n_positions=n_positions)
    edit_tensors(
        folder,
        lambda tensors: tensors.update({"transformer.wpe.weight": torch.zeros(n_positions, 12)}),
    )
    sentence = refusal(folder)
    assert sentence.startswith("FOLDER needs")
    assert "causal masks" in sentence


def test_a_file_larger_than_memory_is_refused_with_its_size(folder: Path) -> None:
    n_values = 2**40
    content = one_tensor("F32", [n_values], [0, 4 * n_values])
    with (folder / WEIGHTS).open("wb") as file:  # sparse: terabytes that take no space
        file.write(content)
        file.truncate(len(content) + 4 * n_values)
    assert (
        refusal(folder) == f"FOLDER/{WEIGHTS} has 4,194,304 MiB, which can't be mapped into memory"
    )


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3)
    ),
    max_leaves=5,
)


@given(
    st.dictionaries(
        st.sampled_from([*THEIRS, "model_type", "n_inner", "resid_pdrop", "tie_word_embeddings"]),
        json_values,
    )
)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
def test_any_json_in_a_configuration_is_a_config_or_one_line(
    folder: Path, fields: dict[str, Any]
) -> None:
    path = folder / "config.json"
    path.write_text(json.dumps(THEIRS | {"model_type": "gpt2"} | fields))
    sentence = ""
    try:
        assert isinstance(read_gpt2_config(folder), GPTConfig)
    except ValueError as error:
        sentence = str(error)
    assert "\n" not in sentence


# The weights


def test_missing_weights_are_refused(folder: Path) -> None:
    (folder / WEIGHTS).unlink()
    assert refusal(folder).startswith(f"FOLDER holds neither {WEIGHTS} nor {INDEX}")


def test_a_pickle_is_not_read_and_the_sentence_says_so(folder: Path) -> None:
    (folder / WEIGHTS).rename(folder / "pytorch_model.bin")
    assert "only safetensors is read, no pickle such as pytorch_model.bin" in refusal(folder)


def header_length(folder: Path) -> int:
    with (folder / WEIGHTS).open("rb") as file:
        (length,) = struct.unpack("<Q", file.read(8))
    return int(length)


@pytest.mark.parametrize(
    "cut",
    [
        lambda header, size: 0,
        lambda header, size: 1,
        lambda header, size: 7,
        lambda header, size: 8,
        lambda header, size: 9,
        lambda header, size: 8 + header // 2,
        lambda header, size: 8 + header - 1,
        lambda header, size: 8 + header,
        lambda header, size: size // 2,
        lambda header, size: size - 1,
    ],
    ids=["0", "1", "7", "8", "9", "half header", "header - 1", "header", "half", "all - 1"],
)
def test_truncated_weights_are_refused(folder: Path, cut: Callable[[int, int], int]) -> None:
    size = (folder / WEIGHTS).stat().st_size
    length = cut(header_length(folder), size)
    with (folder / WEIGHTS).open("r+b") as file:
        file.truncate(length)
    assert refusal(folder) == f"FOLDER/{WEIGHTS} is damaged or no safetensors file"


def one_tensor(dtype: str, shape: list[int], offsets: list[int]) -> bytes:
    header = json.dumps({"wte.weight": {"dtype": dtype, "shape": shape, "data_offsets": offsets}})
    return struct.pack("<Q", len(header)) + header.encode()


@pytest.mark.parametrize(
    "content",
    [
        b"garbage" * 1000,
        b"PK\x03\x04" + b"\0" * 1000,
        b"\0" * 1000,
        b"\xff" * 1000,
        struct.pack("<Q", 2**63) + b"{}",
        struct.pack("<Q", 99_000_000) + b"{}",
        struct.pack("<Q", 2) + b"[]",
        struct.pack("<Q", 2) + b"\xff\xff",
        one_tensor("F33\nx", [1], [0, 4]) + b"\0" * 4,
        one_tensor("F32", [1], [0, 8]) + b"\0" * 8,
        one_tensor("F32", [2**62, 2**62], [0, 4]) + b"\0" * 4,
        one_tensor("F32", [-1], [0, 4]) + b"\0" * 4,
        one_tensor("F32", [1], [4, 0]) + b"\0" * 4,
        one_tensor("F32", [1], [4, 8]) + b"\0" * 8,
        one_tensor("F32", [1], [0, 4]) + b"\0" * 40,
    ],
)
def test_garbage_for_weights_is_refused(folder: Path, content: bytes) -> None:
    (folder / WEIGHTS).write_bytes(content)
    assert refusal(folder) == f"FOLDER/{WEIGHTS} is damaged or no safetensors file"


@pytest.mark.parametrize("shape", [[0], [], [1, 10**18, 0]])
def test_a_hollow_tensor_is_refused_by_its_shape(folder: Path, shape: list[int]) -> None:
    n_bytes = 4 if shape == [] else 0
    (folder / WEIGHTS).write_bytes(one_tensor("F32", shape, [0, n_bytes]) + b"\0" * n_bytes)
    assert "wte.weight must have shape (101, 12); got" in refusal(folder)


@given(data=st.data())
@settings(
    max_examples=300,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
def test_any_flipped_bytes_of_the_header_load_or_are_refused_in_one_line(
    folder: Path, saved: Path, data: st.DataObject
) -> None:
    content = bytearray((saved / WEIGHTS).read_bytes())
    for _ in range(data.draw(st.integers(1, 3))):
        place = data.draw(st.integers(0, header_length(saved) + 7))
        content[place] = data.draw(st.integers(0, 255))
    (folder / WEIGHTS).write_bytes(content)
    sentence = ""
    try:
        assert isinstance(load_gpt2(folder), GPTModel)
    except ValueError as error:
        sentence = str(error)
    assert "\n" not in sentence


def drop(name: str) -> Callable[[dict[str, Tensor]], Any]:
    return lambda tensors: tensors.pop(name)


def put(name: str, tensor: Tensor) -> Callable[[dict[str, Tensor]], Any]:
    return lambda tensors: tensors.update({name: tensor})


@pytest.mark.parametrize(
    ("edit", "rule"),
    [
        (drop("transformer.wte.weight"), "FOLDER lacks the tensor wte.weight"),
        (drop("transformer.ln_f.bias"), "FOLDER lacks the tensor ln_f.bias"),
        (drop("transformer.h.1.mlp.c_proj.bias"), "FOLDER lacks the tensor h.1.mlp.c_proj.bias"),
        (put("score.weight", torch.ones(2)), "holds 1 foreign tensors, first 'score.weight'"),
        (put("a\nb", torch.ones(2)), r"holds 1 foreign tensors, first 'a\nb'"),
        (
            put("transformer.h.2.ln_1.bias", torch.ones(12)),
            "foreign tensors, first 'h.2.ln_1.bias'",
        ),
        (put("wte.weight", torch.ones(101, 12)), "FOLDER holds the tensor 'wte.weight' twice"),
        (
            put("transformer.h.0.attn.c_attn.weight", torch.ones(36, 12)),
            "h.0.attn.c_attn.weight must have shape (12, 36); got (36, 12)",
        ),
        (put("transformer.ln_f.weight", torch.ones(1, 12)), "must have shape (12,); got (1, 12)"),
        (put("transformer.ln_f.weight", torch.tensor(1.0)), "must have shape (12,); got ()"),
        (put("transformer.wpe.weight", torch.ones(14, 12)), "shape (13, 12); got (14, 12)"),
    ],
)
def test_other_tensors_than_the_configurations_are_refused(
    folder: Path, edit: Callable[[dict[str, Tensor]], Any], rule: str
) -> None:
    edit_tensors(folder, edit)
    assert rule in refusal(folder)


@pytest.mark.parametrize(
    "dtype",
    [
        torch.int64, torch.int32, torch.int16, torch.int8, torch.uint8, torch.uint16, torch.uint64,
        torch.bool, torch.complex64, torch.float8_e4m3fn, torch.float8_e5m2,
    ],
)  # fmt: skip
def test_weights_that_are_no_floats_of_16_bits_or_more_are_refused(
    folder: Path, dtype: torch.dtype
) -> None:
    edit_tensors(folder, put("transformer.ln_f.weight", torch.ones(12).to(dtype)))
    assert "ln_f.weight must be one of F64, F32, F16, BF16; got" in refusal(folder)


def test_an_untied_configuration_needs_a_head(folder: Path) -> None:
    edit_config(folder, tie_word_embeddings=False)
    assert refusal(folder) == "FOLDER lacks the tensor lm_head.weight"


# Shards


@pytest.fixture
def sharded(folder: Path, theirs: GPT2LMHeadModel) -> Path:
    (folder / WEIGHTS).unlink()
    theirs.save_pretrained(folder, max_shard_size="4KB")
    return folder


def test_a_missing_shard_is_refused(sharded: Path) -> None:
    shard = sorted(sharded.glob("*.safetensors"))[1]
    shard.unlink()
    assert refusal(sharded) == f"FOLDER lacks {shard.name!r}, though {INDEX} names it"


def test_a_damaged_shard_is_refused(sharded: Path) -> None:
    shard = sorted(sharded.glob("*.safetensors"))[-1]
    shard.write_bytes(shard.read_bytes()[:-1])
    assert refusal(sharded) == f"FOLDER/{shard.name} is damaged or no safetensors file"


def test_a_shard_that_the_index_does_not_name_leaves_a_gap(sharded: Path) -> None:
    index = json.loads((sharded / INDEX).read_text())
    gone = index["weight_map"]["transformer.wte.weight"]
    index["weight_map"] = {n: f for n, f in index["weight_map"].items() if f != gone}
    (sharded / INDEX).write_text(json.dumps(index))
    assert "lacks the tensor" in refusal(sharded)


def test_two_shards_with_one_tensor_are_refused(sharded: Path) -> None:
    index = json.loads((sharded / INDEX).read_text())
    twin = sorted(sharded.glob("*.safetensors"))[0]
    shutil.copy(twin, sharded / "twin.safetensors")
    index["weight_map"]["twin"] = "twin.safetensors"
    (sharded / INDEX).write_text(json.dumps(index))
    assert re.search(r"holds the tensor '.*' twice", refusal(sharded))


@pytest.mark.parametrize(
    "name",
    [
        "../x.safetensors", "/x.safetensors", "sub/x.safetensors", "./x.safetensors", "..", "", ".",
        "pytorch_model.bin", "x.safetensors/", "../checkpoint/x.safetensors", "a\n/x.safetensors",
    ],
)  # fmt: skip
def test_an_index_that_points_outside_its_folder_is_refused(sharded: Path, name: str) -> None:
    inside = sorted(sharded.glob("*.safetensors"))[0]
    for target in (sharded.parent, sharded):
        shutil.copy(inside, target / "x.safetensors")
    index = json.loads((sharded / INDEX).read_text())
    index["weight_map"]["transformer.wte.weight"] = name
    (sharded / INDEX).write_text(json.dumps(index))
    assert f"names {name!r}, which is no safetensors file of its folder" in refusal(sharded)


@pytest.mark.parametrize(
    ("content", "rule"),
    [
        ("{", "is not JSON"),
        ("[]", "must hold a JSON object; got list"),
        ("{}", "must map tensor names to files"),
        ('{"weight_map": []}', "must map tensor names to files"),
        ('{"weight_map": {"a": 5}}', "must map tensor names to files"),
        ('{"weight_map": {"a": ["b"]}}', "must map tensor names to files"),
        ('{"weight_map": {}}', "lacks the tensor wte.weight"),
    ],
)
def test_an_index_that_maps_nothing_is_refused(sharded: Path, content: str, rule: str) -> None:
    (sharded / INDEX).write_text(content)
    assert rule in refusal(sharded)
