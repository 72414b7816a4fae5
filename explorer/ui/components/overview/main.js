/* The picture's life: made once, redrawn when what it shows changes, and never on a mere rerun. */
const views = new WeakMap();

function makeView(root) {
  const view = { root, now: 0, head: 0, walking: false, playing: 0, live: null, feed: null, maps: {}, images: {} };
  view.tensor = (name) => view.live?.tensors[name];
  view.heatMap = (name) => {
    const tensor = view.tensor(name);
    if (tensor) view.images[name] ??= heatMap(tensor, view.ramps.div);
    return view.images[name];
  };
  whileThere(root, document, "gpt-overview-feed", () => receive(view) && redraw(view));
  whileThere(root, window, "resize", () => fit(view));
  const observer = new ResizeObserver(() => (root.isConnected ? fit(view) : observer.disconnect()));
  observer.observe(root);
  const column = document.querySelector("[data-testid=stMainBlockContainer]");
  if (column) observer.observe(column); /* what stands above the picture may come or go */
  root.onkeydown = (event) => onKey(view, event);
  return view;
}

/* Listen as long as the picture is in the document. */
function whileThere(root, target, type, act) {
  const listener = () => (root.isConnected ? act() : target.removeEventListener(type, listener));
  target.addEventListener(type, listener);
}

/* Take what the configuration gives. Returns whether anything to be drawn has changed. */
function accept(view, data) {
  const { selected, ...shown } = data;
  const signature = JSON.stringify(shown);
  if (signature === view.signature) return false;
  const restored = view.data && view.data.restored !== data.restored; /* not by this viewer's hand */
  const here = restored ? selected : view.stops?.[view.now].id ?? selected;
  if (restored) {
    clearInterval(view.playing);
    Object.assign(view, { told: selected, walking: false, playing: 0 });
  }
  Object.assign(view, { signature, data, stops: data.stops, at: Object.fromEntries(data.stops.map((stop, i) => [stop.id, i])) });
  view.ramps = { div: parseRamp(data.scales.div), prob: parseRamp(data.scales.prob) };
  view.now = view.at[here] ?? 0;
  view.told ??= selected;
  view.images = {};
  if (view.live && view.feed.of !== data.of) Object.assign(view, { live: null, feed: null });
  receive(view);
  return true;
}

/* Take the values of this pass, if they belong to this picture. Returns whether they are new. */
function receive(view) {
  const feed = document.gptOverviewFeed;
  if (!feed || feed.of !== view.data?.of) return false;
  if (view.feed && feed.of === view.feed.of && !feed.live === !view.live) return false;
  Object.assign(view, { feed, live: feed.live, images: {} });
  if (feed.live) view.maps = Object.fromEntries(["scores", "masked", "weights"].map((name) => [name, floats(feed.live.heads[name])]));
  return true;
}

/* The axes of this prompt and configuration, which block is open, and the size of the model. */
function drawKey(view) {
  const { axes, n_layers, block, total } = view.data;
  const names = { B: "batch", T: "tokens", D: "width", H: "heads", K: "per head", F: "hidden", V: "vocabulary" };
  const parts = Object.entries(names).map(([letter, name]) => htmlTag("span", {}, htmlTag("span", { class: "axis", style: `color:${hue(letter)}` }, htmlTag("b", {}, letter), grouped(axes[letter])), htmlTag("span", { class: "name" }, name)));
  const choose = htmlTag("select", { "aria-label": "Open block" });
  for (let i = 0; i < n_layers; i++) choose.append(fill(htmlTag("option", { value: i }, `block ${i}`), i === block ? { selected: "" } : {}, []));
  choose.onchange = () => view.component.setTriggerValue("opened", +choose.value);
  view.root.querySelector(".key").replaceChildren(...parts, htmlTag("label", { class: "open-block" }, htmlTag("span", {}, "Open"), choose), htmlTag("span", { class: "total" }, `${grouped(total)} parameters`));
}

/* Choose the arrangement for the width, and give the picture the height that is left. */
function fit(view) {
  const { root } = view;
  const width = root.clientWidth;
  if (!width || !view.data) return;
  const mode = width < 600 ? "phone" : view.data.projector ? "projector" : "desk";
  const scrolled = document.querySelector("[data-testid=stMain]")?.scrollTop ?? 0;
  const top = root.querySelector(".picture").getBoundingClientRect().top + scrolled;
  const height = Math.max(mode === "projector" ? 600 : 560, innerHeight - top - 12);
  const size = [mode, width, Math.round(height)].join();
  if (size === view.size) return;
  view.size = size;
  view.mode = mode;
  root.dataset.mode = mode;
  root.classList.toggle("stacked", mode !== "phone" && width < 830);
  root.style.setProperty("--height", `${height}px`);
  redraw(view);
}

/* The page came with a drawing of this picture; now the picture itself is there. */
function replaceFirstPaint(root) {
  const first = document.getElementById("first-paint");
  if (first && first !== root.getRootNode().host?.closest("#first-paint")) first.remove();
}

function redraw(view) {
  if (!view.mode) return fit(view);
  const focused = view.root.getRootNode().activeElement?.closest?.(".op")?.dataset.stop;
  drawKey(view);
  buildKeys(view);
  buildTrack(view);
  drawPicture(view);
  view.head = Math.min(view.head, view.marks.heads.length - 1);
  refresh(view);
  if (focused) view.marks.groups[focused]?.focus({ preventScroll: true });
}

export default function mount(component) {
  const root = component.parentElement.querySelector(".overview");
  if (!views.has(root)) views.set(root, makeView(root));
  const view = views.get(root);
  view.component = component;
  if (!accept(view, component.data)) return fit(view);
  view.size = null;
  fit(view);
  replaceFirstPaint(root);
  if (document.fonts.status === "loaded") return;
  document.fonts.ready.then(() => root.isConnected && redraw(view)); /* labels are as wide as their font */
}
