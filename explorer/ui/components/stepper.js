/* Plays a greedy run in the browser. Python sends the steps as they are computed; moving between
   those that are here never asks it. The component asks for more steps until the run is complete,
   so that a viewer who leaves, or stops it, has abandoned the rest. */

const PLAY_MS = 250;
const SETTLE_MS = 120;
const ASK_AGAIN_MS = 5000;
const CHIP_REM = 5.4;
const MAX_ROWS = 6;
const ACTS = { Home: "reset", ArrowLeft: "back", " ": "play", ArrowRight: "step" };
const SUPERSCRIPTS = Object.fromEntries([..."-0123456789"].map((c, i) => [c, [..."⁻⁰¹²³⁴⁵⁶⁷⁸⁹"][i]]));
const views = new WeakMap();

export default function ({ parentElement, data, setTriggerValue }) {
  const root = parentElement.querySelector(".stepper");
  if (!views.has(root)) views.set(root, new View(root));
  const view = views.get(root);
  view.tell = setTriggerValue;
  view.receive(data);
  return () => view.leave();
}

const tag = (name, className, ...children) => {
  const element = document.createElement(name);
  if (className) element.className = className;
  element.append(...children);
  return element;
};
const whole = (x) => x.toLocaleString("en-US");
const fixed = (x, digits) => x.toFixed(digits).replace("-", "−");
const percent = (p) => {
  const x = 100 * p;
  if (x >= 0.001 || x === 0) return fixed(x, 4);
  const [mantissa, exponent] = x.toExponential(1).split("e");
  return `${mantissa} × 10${[...exponent].map((c) => SUPERSCRIPTS[c]).join("")}`;
};
const short = (p) => (p < 1e-5 ? percent(p) : String(Number((100 * p).toPrecision(3))));
const shape = (axes) =>
  Object.entries(axes).map(([letter, size]) => {
    const part = tag("span", "ax", tag("b", "", letter), whole(size));
    part.style.color = `var(--gx-axis-${letter})`;
    return part;
  });

class View {
  constructor(root) {
    this.root = root;
    this.step = this.target = 0; // the target may not be computed yet
    this.run = null;
    this.playing = this.halted = false;
    this.onKey = (event) => this.key(event);
    this.onResize = () => this.data && this.draw();
    document.addEventListener("keydown", this.onKey);
    window.addEventListener("resize", this.onResize);
    for (const button of root.querySelectorAll("[data-do]")) {
      button.onclick = () => this.act(button.dataset.do);
    }
    this.find("input").oninput = (event) => this.go(Number(event.target.value));
  }

  find(selector) {
    return this.root.querySelector(selector);
  }

  leave() {
    document.removeEventListener("keydown", this.onKey);
    window.removeEventListener("resize", this.onResize);
    for (const timer of [this.player, this.settler, this.asker]) clearTimeout(timer);
    views.delete(this.root);
  }

  /* A run is identified by its model and prompt: another one starts where Python says. */
  receive(data) {
    this.data = data;
    if (this.run !== data.run) {
      this.run = data.run;
      this.target = data.step;
      this.halted = false;
      this.pause();
    }
    this.step = Math.min(this.target, this.last);
    this.draw();
    this.ask();
  }

  /* After `step` tokens are appended, steps[step] says what comes next. */
  get last() {
    return Math.max(0, Math.min(this.data.wanted, this.data.steps.length - 1));
  }

  get complete() {
    return this.data.steps.length > this.data.wanted;
  }

  ask() {
    clearTimeout(this.asker);
    if (this.complete || this.halted) return;
    this.tell("more", this.data.steps.length);
    this.asker = setTimeout(() => this.ask(), ASK_AGAIN_MS);
  }

  act(what) {
    if (what === "reset") this.go(0);
    if (what === "back") this.go(this.step - 1);
    if (what === "step") this.go(this.step + 1);
    if (what === "play") this.playing ? this.pause() : this.play();
    if (what === "halt") {
      this.halted = !this.halted;
      this.draw();
      this.ask();
    }
  }

  key(event) {
    const act = ACTS[event.key];
    const at = event.composedPath()[0];
    const typing = at.closest?.("input, textarea, select, [contenteditable], [role=radiogroup], [role=dialog], [role=listbox], [role=slider]");
    const pressing = event.key === " " && at.closest?.("button, a, summary, [role=button]");
    if (!act || typing || pressing || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    this.act(act);
  }

  go(step) {
    this.pause();
    this.move(step);
    this.settle();
  }

  move(step) {
    const next = Math.max(0, Math.min(this.last, step));
    const from = next === this.step + 1 && this.find(".winner").getBoundingClientRect();
    this.step = this.target = next;
    this.draw();
    if (from) this.fly(from);
  }

  play() {
    if (this.step >= this.data.wanted) this.move(0);
    this.playing = true;
    this.tick();
  }

  tick() {
    const start = performance.now();
    this.move(this.step + 1);
    if (this.step >= this.data.wanted) {
      this.pause();
      this.settle();
    } else {
      this.player = setTimeout(() => this.tick(), Math.max(0, PLAY_MS - (performance.now() - start)));
    }
  }

  pause() {
    clearTimeout(this.player);
    if (this.playing) this.settle();
    this.playing = false;
    this.drawTransport();
  }

  /* Python learns where the viewer stands once they stand: for the link and the tables. */
  settle() {
    clearTimeout(this.settler);
    this.settler = setTimeout(() => {
      this.find(".spoken").textContent = this.find(".notice span").textContent;
      this.tell("step", this.step);
    }, SETTLE_MS);
  }

  fly(from) {
    const chip = this.find(".chips li:last-child");
    if (!chip || matchMedia("(prefers-reduced-motion: reduce)").matches) return;
    const to = chip.getBoundingClientRect();
    chip.animate(
      [{ transform: `translate(${from.x - to.x}px, ${from.y - to.y}px)` }, { transform: "none" }],
      { duration: this.playing ? 180 : 450, easing: "ease-out" },
    );
  }

  draw() {
    const { data, step } = this;
    if (!data.steps.length) return;
    const now = data.steps[step];
    const length = data.prompt.length + step;
    const start = Math.max(0, length - data.context);
    const scene = { now, length, start, window: length - start, fallen: start + data.dropped };
    this.drawChips(scene);
    this.drawStages(scene);
    this.drawCandidates(scene);
    this.find(".notice span").textContent = data.notices[step];
    this.drawTransport();
  }

  chip(id, position, className) {
    return tag(
      "li",
      className,
      tag("span", "text", this.data.texts[id]),
      tag("span", "id", `${position} · ${id}`),
    );
  }

  /* What doesn't fit in two rows is folded, and what fell off is dimmed at the left. */
  drawChips({ length, start, fallen }) {
    const { data, step } = this;
    const ids = [...data.prompt, ...data.steps.slice(0, step).map((s) => s.token)];
    const rem = parseFloat(getComputedStyle(document.documentElement).fontSize);
    const room = Math.max(4, 2 * Math.floor(this.root.clientWidth / (CHIP_REM * rem)) - 2);
    const chips = [];
    if (fallen) chips.push(tag("li", "gap", `${whole(fallen)} fell off`));
    if (start) chips.push(this.chip(ids[start - 1], "off", "out"));
    const from = length - start > room ? length - room + 2 : start + 2;
    for (let i = start; i < length; i++) {
      if (i === start + 2 && from > i) {
        chips.push(tag("li", "gap", `… ${whole(from - i)} more …`));
        i = from;
      }
      chips.push(this.chip(ids[i], i - start, i >= data.prompt.length ? "new" : ""));
    }
    this.find(".chips").replaceChildren(...chips);
  }

  stage(name, axes, text) {
    const at = this.find(`[data-stage=${name}]`);
    at.querySelector(".shape").replaceChildren(...shape(axes));
    if (text !== undefined) at.querySelector("p").textContent = text;
    return at;
  }

  drawStages({ now, window, fallen }) {
    const { data } = this;
    const V = data.vocabulary;
    const first = Math.exp(now.logits[0] - now.normaliser);
    this.stage(
      "crop",
      { B: 1, T: window },
      fallen
        ? `The last ${whole(data.context)} tokens; ${whole(fallen)} fell off, so positions restart.`
        : `${whole(window)} of ${whole(data.context)} positions are taken; nothing falls off.`,
    );
    this.stage(
      "logits",
      { B: 1, T: window, V },
      `${fixed(now.range[0], 2)} to ${fixed(now.range[1], 2)}. ` +
        (window > 1
          ? `Only the last of ${whole(window)} rows is used; the others predict tokens that are already there.`
          : "The one row says what follows the one token."),
    );
    this.drawRows(now, window);
    this.stage("softmax", { V }, `Sums to ${fixed(now.total, 6)}; entropy ${fixed(now.entropy, 3)} of ln V = ${fixed(Math.log(V), 3)} nats.`);
    this.stage("top", {}, `The first has ${percent(first)} %, the first ten ${percent(now.ten)} %.`);
    this.stage("argmax", {});
    this.find(".winner").textContent = data.texts[now.token];
    this.find(".same").textContent =
      `ID ${now.token}. Without softmax: the same ${now.agrees ? "✓" : "✗"}`;
    this.stage("append", { B: 1, T: window + 1 }, "Step moves it to the end of the sequence.");
  }

  drawRows(now, window) {
    const { colours, reach } = this.data;
    const colour = (x) =>
      colours[Math.max(0, Math.min(9, Math.floor((x / reach + 1) * 5)))];
    const share = 100 / now.sample.length;
    const bands = now.sample.map((x, i) => `${colour(x)} ${i * share}% ${(i + 1) * share}%`);
    const rows = Array.from({ length: Math.min(MAX_ROWS, window) - 1 }, () => tag("i", "unused"));
    const last = tag("i", "used");
    last.style.background = `linear-gradient(to right, ${bands.join(",")})`;
    const picture = this.find(".rows");
    picture.replaceChildren(...rows, last);
    picture.setAttribute(
      "aria-label",
      `${now.sample.length} of the last row's logits, colours from −${fixed(reach, 1)} to ${fixed(reach, 1)}; the rows above are not used`,
    );
  }

  drawCandidates({ now }) {
    const { data } = this;
    const p = now.logits.map((logit) => Math.exp(logit - now.normaliser));
    const even = 1 / data.vocabulary;
    const low = 10 ** Math.floor(Math.log10(Math.max(1e-99, Math.min(even, ...p))));
    const high = data.log ? 10 ** Math.ceil(Math.log10(Math.max(even, p[0])) - 1e-9) : Math.max(even, p[0]);
    const along = (x) =>
      data.log ? Math.log(Math.max(low, x) / low) / Math.log(high / low) : x / high;
    this.find(".scale").textContent = data.log
      ? `log scale, ${short(low)} to ${short(high)} %`
      : `linear, 0 to ${short(high)} %`;
    const body = this.find("tbody");
    body.replaceChildren(
      ...now.ids.map((id, i) => {
        const length = tag("i");
        const mark = tag("u");
        length.style.width = `${100 * along(p[i])}%`;
        mark.style.left = `${100 * along(even)}%`;
        const bar = tag("td", "bar", tag("div", "", length, mark));
        return tag(
          "tr",
          i ? "" : "first",
          tag("td", "", String(i + 1)),
          tag("td", "token", data.texts[id]),
          tag("td", "", String(id)),
          bar,
          tag("td", "", percent(p[i])),
          tag("td", "", fixed(now.logits[i], 3)),
          tag("td", "", now.before.length ? whole(now.before[i]) : "—"),
        );
      }),
    );
  }

  drawTransport() {
    const { data, step } = this;
    const computed = Math.min(data.steps.length, data.wanted);
    const range = this.find("input");
    range.max = data.wanted;
    range.value = step;
    range.setAttribute("aria-valuetext", `${step} of ${data.wanted} tokens appended`);
    this.find("output").textContent = `${step} of ${data.wanted} tokens appended`;
    this.find(".done").textContent = this.complete
      ? `all ${data.wanted} computed`
      : `${computed} of ${data.wanted} computed`;
    const bar = this.find("progress");
    bar.max = data.wanted;
    bar.value = computed;
    bar.hidden = this.complete;
    const halt = this.find("[data-do=halt]");
    halt.hidden = this.complete;
    halt.textContent = this.halted ? "Compute the rest" : "Stop computing";
    this.root.classList.toggle("playing", this.playing);
    this.find("[data-do=play] span").textContent = this.playing ? "Pause" : "Play";
    for (const name of ["reset", "back"]) this.find(`[data-do=${name}]`).disabled = step === 0;
    this.find("[data-do=step]").disabled = step >= this.last;
  }
}
