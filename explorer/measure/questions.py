"""Every question that a page asks before its picture; the words for each are in the glue."""

from explorer.measure import counted_answers as counted
from explorer.measure import run_answers as run
from explorer.measure.asked import Question

QUESTIONS: dict[str, Question] = {
    "largest_part": Question("overview", counted.largest_part),
    "more_heads": Question("overview", counted.more_heads),
    "shell_shape": Question("placeholder", counted.shell_shape),
    "shell_parameters": Question("placeholder", counted.shell_parameters),
    "variance_divisor": Question("layernorm", run.variance_divisor),
    "norm_axis": Question("layernorm", run.norm_axis),
    "stationary_point": Question("gelu", run.stationary_point),
    "negative_hidden": Question("gelu", run.negative_hidden, run.find_negative_hidden),
    "smallest_gradient": Question(
        "shortcuts",
        run.smallest_gradient,
        run.find_smallest_gradient,
        needs_model=False,
        arguments=run.network_arguments,
    ),
    "shortcut_count": Question("shortcuts", run.shortcut_count),
    "favourite_key": Question("block", run.favourite_key, run.find_favourite_key),
    "repeated_passes": Question("block", run.repeated_passes, run.find_repeated_passes),
    "total_parameters": Question("scaling", counted.total_parameters),
    "tying_saves": Question("scaling", counted.tying_saves),
    "tying_flops": Question("scaling", counted.tying_flops),
    "mask_parameters": Question("scaling", counted.mask_parameters),
    "megabytes": Question("scaling", counted.megabytes),
    "without_softmax": Question("generate", run.without_softmax, run.find_without_softmax),
    "deciding_scores": Question("generate", counted.deciding_scores),
}
"""By name, in the order in which a page asks them."""
