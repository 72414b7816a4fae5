"""LayerNorm: mean and variance of one token at each stage of one norm."""

import torch

import gptcore

# What the page shows.
cfg = gptcore.GPT_CONFIG_124M
model = gptcore.build_model(cfg, seed=123)
prompts = [gptcore.encode("Hello, I am")]
norm = model.final_norm
traces = [gptcore.trace_gpt(model, torch.tensor([ids])) for ids in prompts]
rows = torch.cat([trace.final_norm_in[0] for trace in traces])  # (N, D)
scale, shift = norm.scale.detach(), norm.shift.detach()
token = 0
over_batch = False
unbiased = False
eps = 1e-5
gain, offset = 1.0, 0.0
# ---

x = rows[token]  # (D,)
measured, dim = (rows, 0) if over_batch else (x, -1)
raw = {"raw": x, "centred": x - measured.mean(dim)}
divided = raw["centred"] / torch.sqrt(measured.var(dim, unbiased=unbiased) + eps)
stages = raw | {"divided": divided, "shifted": gain * scale * divided + (shift + offset)}
for name, values in stages.items():
    var, mean = torch.var_mean(values.double(), unbiased=unbiased)
    low, high = values.aminmax()
    print(name, f"mean {mean:.6g} variance {var:.6g} min {low:.6g} max {high:.6g}")
