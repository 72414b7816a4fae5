"""Models in eval mode, made from what identifies them."""

from collections.abc import Callable

from gptcore.checkpoint import load_gpt2, read_gpt2_config
from gptcore.config import GPTConfig
from gptcore.identity import ModelId, Seed
from gptcore.model import GPTModel
from gptcore.seeding import seeded


def build_model(
    cfg: GPTConfig, seed: int, on_block: Callable[[int], None] | None = None
) -> GPTModel:
    """Build the model whose weights this seed gives, in eval mode.

    The caller's random state is untouched. A model that is shared must never be changed after this.

    Args:
        cfg: The configuration.
        seed: From 0 to 2³² − 1.
        on_block: Told after each block how many are built; may raise to give up.
    """
    with seeded(seed) as seeding:

        def built(n_blocks: int) -> None:
            if on_block is not None:
                with seeding.paused():  # whoever waits for the random state goes on meanwhile
                    on_block(n_blocks)

        model = GPTModel(cfg, built)
    return model.eval()


def make_model(model_id: ModelId, on_block: Callable[[int], None] | None = None) -> GPTModel:
    """Build or load the model that `model_id` names, in eval mode.

    Raises:
        ValueError: If the seed is out of range, or the checkpoint can't be used or is of another
            configuration.
    """
    if isinstance(model_id.weights, Seed):
        return build_model(model_id.config, model_id.weights.number, on_block)
    folder = model_id.weights.folder
    found = read_gpt2_config(folder)
    if found != model_id.config:
        raise ValueError(f"the checkpoint in {folder} holds {found}, not {model_id.config}")
    return load_gpt2(folder)
