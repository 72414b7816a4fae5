"""Scaling: parameters, memory and FLOPs, counted from the configuration; nothing is built."""

import gptcore
from gptcore.activations import activation_bytes
from gptcore.counting import kv_cache_bytes, mask_bytes, weight_bytes
from gptcore.flops import backward_flops, forward_flops

# What the page shows.
cfg = gptcore.GPT_CONFIG_124M
batch = 1
length = 1024
weight, gradient, adamw, activation = 4, 4, 8, 4  # bytes a number
fused = False
# ---

counts = gptcore.count_parameters(cfg)
for component, count in (counts | {"total": sum(counts.values())}).items():
    print("parameters", component, count)

kept = activation_bytes(cfg, batch, length, activation, "fused" if fused else "spelled out")
memory = {
    "weights": weight_bytes(cfg, weight),
    "gradients": weight_bytes(cfg, gradient),
    "AdamW states": weight_bytes(cfg, adamw),
    "activations": sum(kept.values()),
    "causal masks": mask_bytes(cfg),
    "KV cache": kv_cache_bytes(cfg, batch, length, activation),
}
for use, n_bytes in memory.items():
    print("bytes", use, n_bytes, f"({n_bytes / 2**20:,.2f} MiB)")

print("FLOPs a token, forward", sum(forward_flops(cfg, length).values()))
print("FLOPs a token, backward", sum(backward_flops(cfg, length).values()))
