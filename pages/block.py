"""Transformer block: statistics of the residual stream, block by block."""

from explorer import measure
from explorer.draw.chart import number
from explorer.draw.stream import block_stats_lines
from explorer.ui import cache, controls, frame, show
from explorer.ui.link import page_fragment
from explorer.ui.state import screen

TITLES = {
    "mean": "Mean",
    "std": "Standard deviation",
    "min": "Minimum",
    "max": "Maximum",
    "rms": "RMS norm",
}

now = screen()
frame.begin(
    "Transformer block",
    "Every block reads a normalised copy of the stream and adds to the stream twice.",
)


@page_fragment
def statistics_by_depth() -> None:
    """Show one statistic over the blocks."""
    statistic = controls.choice("block_statistic", "Statistic", TITLES.__getitem__, segmented=True)
    with show.refusals():
        frame = cache.measured(measure.block_stats, now.model_id, now.token_ids)
        drawn = block_stats_lines(frame, statistic, TITLES[statistic], now.look)
        definition = measure.STATISTICS[statistic]
        n_values = int(frame["n"].iloc[0])
        show.chart(
            drawn,
            f"Depth runs from left to right; the height is the {TITLES[statistic].lower()} over all "
            f"N = T × D = {len(now.token_ids):,} × {now.config.emb_dim:,} = {n_values:,} values of "
            f"the stream at that point. {definition}",
        )
        first, last = frame["std"].iloc[0], frame["std"].iloc[-1]
        show.notice(
            f"The spread of the stream goes from {number(first)} into block 0 to {number(last)} out "
            f"of block {now.config.n_layers - 1}, {number(last / first, 2)} times as much: each of "
            f"the {2 * now.config.n_layers} additions brings its own."
        )
        show.table_expander(drawn)


statistics_by_depth()
show.code(measure.block_stats)
show.references("block")
