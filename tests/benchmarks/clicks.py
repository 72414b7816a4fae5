"""Click to finished in Chromium, for the controls of every page, warm and at the default sizes.

    python -m tests.benchmarks.clicks                 every page
    python -m tests.benchmarks.clicks shortcuts gelu  these pages

The page times itself: from the event's own time stamp to the second frame after all that the script
run sent has arrived. That is what a person waits for, without the time that Playwright takes to find
a button and to hear of the end. Exit code 1 if the 95th percentile of a control is above the limit.
"""

import statistics
import sys
from collections.abc import Callable
from itertools import cycle

from playwright.sync_api import Browser, Page, sync_playwright

from explorer.measure.config_text import as_call, as_json
from gptcore.config import CONFIGS, GPT_CONFIG_124M
from tests.browser.conftest import CHROMIUM_FLAGS, chromium_path, serve
from tests.browser.streamlit_page import StreamlitPage

LIMIT_MS = 300
TIMES = 40
_WARM = 3
_MANY_TOKENS = "prompt=" + "Every%20effort%20moves%20you%20" * 15  # 61 tokens
_ONE_WEIGHT = "Change one weight and watch both tables"
Act = Callable[[Page], None]

# From the event to the second frame after the last message of the run that it started, or after the
# app has shown that the run is over, whichever is later.
_STOPWATCH = """
window.answers = [];
let asked = null, drawn = 0, silence = 0;
const stir = () => {
  if (asked === null) return;
  requestAnimationFrame(() => requestAnimationFrame(() => (drawn = performance.now())));
  clearTimeout(silence);
  silence = setTimeout(() => { answers.push(drawn - asked); asked = null; }, 250);
};
for (const type of ["click", "keydown"])
  addEventListener(type, (event) => { asked = event.timeStamp; }, true);
window.WebSocket = class extends WebSocket {
  constructor(...address) { super(...address); this.addEventListener("message", stir); }
};
new MutationObserver(stir).observe(document, {
  subtree: true, attributes: true, attributeFilter: ["data-test-script-state"],
});
"""


def buttons(*names: str) -> Act:
    """Click buttons of the page in turn; with one name, a switch."""
    turn = cycle(names)
    main = "[data-testid=stMain]"
    return lambda page: page.locator(main).get_by_text(next(turn), exact=True).first.click()


def press(*names: str) -> Act:
    """Press buttons in turn; a chart may show the same words."""
    turn = cycle(names)
    return lambda page: page.get_by_role("button", name=next(turn), exact=True).click()


def slider(name: str | int) -> Act:
    """Move a slider to and fro, by its name or by its number on the page."""
    keys = cycle(["ArrowRight", "ArrowLeft"])

    def press(page: Page) -> None:
        sliders = page.get_by_test_id("stMain").get_by_role("slider")
        found = (
            sliders.nth(name) if isinstance(name, int) else page.get_by_role("slider", name=name)
        )
        found.press(next(keys))

    return press


def stepper(name: str, reach: int = 7) -> Act:
    """Raise a number some times and lower it as often; below zero the other way round."""
    there, back = ("ArrowUp", "ArrowDown") if reach > 0 else ("ArrowDown", "ArrowUp")
    keys = cycle([there] * abs(reach) + [back] * abs(reach))
    main = "[data-testid=stMain]"
    return lambda page: page.locator(main).get_by_label(name, exact=True).press(next(keys))


def menu(label: str, *names: str) -> Act:
    """Choose from a menu by typing: names, or beginnings of names, in turn."""
    turn = cycle(names)

    def choose(page: Page) -> None:
        box = page.get_by_role("combobox", name=label)
        box.click()
        box.fill(next(turn))
        page.keyboard.press("Enter")

    return choose


def opened(label: str, act: Act) -> Act:
    """Open an expander before the first time."""
    done: set[Page] = set()

    def do(page: Page) -> None:
        if page not in done:
            page.get_by_text(label, exact=True).click()
            done.add(page)
        act(page)

    return do


def paste(label: str, button: str, *texts: str) -> Act:
    """Fill a field of several lines with texts in turn, and use what it holds."""
    turn = cycle(texts)

    def fill(page: Page) -> None:
        page.get_by_label(label).fill(next(turn))
        press(button)(page)

    return fill


CONTROLS: dict[str, dict[str, Act]] = {
    "placeholder": {"assembled": buttons("LayerNorm")},
    "layernorm": {
        "norm": menu("Which LayerNorm", "block 5, norm2", "final_norm"),
        "token": menu("Token", "2", "1"),
        "over": buttons("batch", "features"),
        "variance": buttons("÷ (n − 1)", "÷ n"),
        "ε": slider(0),
        "γ": slider(1),
        "β": slider(2),
    },
    "gelu": {"x": slider(0), "block": stepper("Block"), "threshold": slider(1)},
    "shortcuts": {
        "layers": stepper("Layers"),
        "width": stepper("Width"),
        "seeds": stepper("Seeds", -7),
        "activation": buttons("tanh", "GELU"),
        "show": buttons("relative", "gradient"),
    },
    "shortcuts?shortcuts_blocks=true": {"part": buttons("norms", "attention")},
    "block": {"view": buttons("By token", "By depth")},
    f"block?block_view=attention&{_MANY_TOKENS}": {
        "block": stepper("Block"),
        "head": stepper("Head"),
        "step": buttons("ratio", "softmax"),
    },
    f"block?block_view=tokens&{_MANY_TOKENS}": {
        "block": stepper("Block"),
        "token": stepper("Token"),
    },
    "scaling?scaling_view=parameters": {
        "n_layers": slider("n_layers"),
        "context_length": slider("context_length"),
        "vocab_size": slider("vocab_size (V)"),
        "QKV bias": buttons("QKV bias"),
        "tied weights": buttons("Tied weights"),
        "bars": buttons("One scale", "Share of each model"),
        "view": buttons("163M vs 124M", "Parameters"),
    },
    "scaling?scaling_variants=true": {
        "a larger variant": press("gpt2-medium", "gpt2-small"),
        "built for real": press("Build it for real and run the prompt"),
    },
    "scaling?scaling_view=tying": {
        "one tensor or two": opened(_ONE_WEIGHT, buttons("Tied")),
        "one weight": opened(_ONE_WEIGHT, stepper("New value")),
    },
    "scaling?scaling_view=memory": {
        "purpose": buttons("Generating", "Training"),
        "precision": buttons("float16 or bfloat16", "float32"),
        "batch": stepper("Batch (B)"),
        "fused kernels": buttons("Fused kernels"),
        "a device's memory": stepper("1: memory, GB"),
    },
    "scaling?scaling_view=compute": {
        "GPT-3 on one V100": buttons("GPT-3 on one V100"),
        "length": stepper("Length (T)", -7),
        "tokens": stepper("Tokens, billions"),
        "throughput": stepper("TFLOP/s a device"),
        "devices": stepper("Devices"),
        "utilisation": stepper("Utilisation, %", -1),
    },
    "scaling?scaling_view=growth": {
        "quantity": menu("What grows", "FLOPs per token", "Parameters"),
        "field": menu("With which field", "n_layers", "emb_dim"),
        "second field": menu("And a second one", "n_layers", "none"),
        "axes": buttons("linear", "log"),
    },
    "scaling?scaling_view=compare": {
        "pin": buttons("Pin this one", "Unpin 1: gpt2-small"),
        "pasted": opened(
            "Paste a configuration",
            paste(
                "The book's dict",
                "Use it",
                as_call(CONFIGS["gpt2-medium"]),
                as_json(GPT_CONFIG_124M),
            ),
        ),
    },
    "generate": {"scale": buttons("log", "linear")},
}
"""The controls by address. A step of a run that is there and a selection on the Overview run in the
browser alone; `generate_page.py` and `overview_paint.py` time them."""


def stopwatch_page(browser: Browser) -> Page:
    """Open a page that times the answers to what is done on it."""
    page = browser.new_page(viewport={"width": 1280, "height": 800})
    page.add_init_script(f"(() => {{{_STOPWATCH}}})()")
    return page


def answers_ms(page: Page, act: Act, times: int) -> list[float]:
    """Use a control many times on a page that is there; return what each answer took, in ms."""
    page.evaluate("answers.length = 0")
    for turn in range(_WARM + times):
        act(page)
        page.wait_for_function("(n) => answers.length > n", arg=turn, timeout=10_000)
    return [float(taken) for taken in page.evaluate("answers")[_WARM:]]


def report(name: str, taken: list[float]) -> bool:
    """Print one row, and return whether it holds."""
    p95 = statistics.quantiles(taken, n=20)[-1]
    verdict = "" if p95 <= LIMIT_MS else "   BROKEN"
    row = f"{name:46}{statistics.median(taken):8.0f}{p95:8.0f}{LIMIT_MS:8}{verdict}"
    print(row, flush=True)
    return p95 <= LIMIT_MS


def main() -> int:
    """Time the controls of the pages that the arguments name, or of all."""
    hold = []
    with serve("--preload") as base, sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=chromium_path(), args=CHROMIUM_FLAGS)
        print(f"{'ms':46}{'median':>8}{'p95':>8}{'limit':>8}")
        for address, controls in CONTROLS.items():
            name = address.split("&")[0]
            if sys.argv[1:] and address.split("?")[0] not in sys.argv[1:]:
                continue
            for control, act in controls.items():
                page = stopwatch_page(chromium)
                StreamlitPage(page, base).goto(f"/{address}")
                hold.append(report(f"{name}: {control}", answers_ms(page, act, TIMES)))
                page.close()
        chromium.close()
    return int(not all(hold))


if __name__ == "__main__":
    raise SystemExit(main())
