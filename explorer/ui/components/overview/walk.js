/* Where the viewer is on the path. Nothing here asks the server for anything: it is only told. */
const PLAY_MS = 1700;
const TRAVEL_MS = 450;
const TELL_MS = 250;

const moves = (view) => view.walking && !matchMedia("(prefers-reduced-motion: reduce)").matches;

/* Show the state: what is selected, and what the walk has not reached. */
function refresh(view, focus = false) {
  for (const part of view.root.querySelectorAll(".op, .part")) {
    const i = view.at[part.dataset.stop];
    part.classList.toggle("ahead", view.walking && i > view.now);
    if (!part.classList.contains("op")) continue;
    part.setAttribute("aria-pressed", i === view.now);
    if (focus && i === view.now) part.focus({ preventScroll: true });
  }
  view.marks.reach(view.walking ? view.now : null);
  paintHeads(view);
  inspect(view);
  updateTransport(view);
}

/* Select an operation: the inspector changes, the picture stays. */
function select(view, i) {
  view.now = i;
  refresh(view);
  if (view.mode === "phone") showDetails(view, true);
  tell(view);
}

/* Go to an operation on the walk, which dims what is not yet computed. */
function walkTo(view, i, focus = false) {
  const from = view.now;
  view.now = Math.max(0, Math.min(view.stops.length - 1, i));
  view.walking = true;
  refresh(view, focus);
  if (view.mode === "phone" || view.root.classList.contains("stacked")) bringIntoView(view);
  if (moves(view)) animate(view, from, view.now);
  tell(view);
}

/* Where the picture is taller than the screen, keep the operation on it. */
function bringIntoView(view) {
  const { top, bottom } = view.marks.groups[view.stops[view.now].id].getBoundingClientRect();
  const covered = view.mode === "phone" ? innerHeight - view.root.querySelector(view.root.classList.contains("open") ? ".inspector" : ".transport").getBoundingClientRect().top : 0;
  const main = document.querySelector("[data-testid=stMain]");
  if (top > 60 && bottom < innerHeight - covered - 20) return;
  main?.scrollBy({ top: (top + bottom) / 2 - (innerHeight - covered) / 2, behavior: moves(view) ? "smooth" : "auto" });
}

/* Tell the server what is selected, for the link: once, when the viewer pauses. */
function tell(view) {
  clearTimeout(view.telling);
  if (view.playing) return;
  view.telling = setTimeout(() => {
    const { id } = view.stops[view.now];
    if (id === view.told) return;
    view.told = id;
    view.component.setTriggerValue("selected", id);
  }, TELL_MS);
}

function play(view, on) {
  clearInterval(view.playing);
  view.playing = 0;
  if (on) {
    if (view.now === view.stops.length - 1) walkTo(view, 0);
    view.playing = setInterval(() => {
      if (!view.root.isConnected) return play(view, false);
      if (view.now < view.stops.length - 1) walkTo(view, view.now + 1);
      else play(view, false);
    }, PLAY_MS);
    walkTo(view, view.now);
  } else tell(view);
  updateTransport(view);
}

function animate(view, from, to) {
  const { marks } = view;
  const id = view.stops[to].id;
  const path = [marks.tracks[view.stops[from].id]?.at(-1), ...(marks.tracks[id] ?? [])].filter(Boolean);
  if (to === from + 1 && path.length > 1) travel(marks.pulse, path);
  const grows = { ff_up: 0.25, ff_down: 4 }[id];
  if (grows) {
    const strip = marks.stretch[id];
    strip.style.transformBox = "fill-box";
    strip.style.transformOrigin = "0 0";
    strip.animate([{ transform: `scaleX(${grows})` }, { transform: "scaleX(1)" }], { duration: 600, easing: "ease-out" });
  }
  if (id === "split" || id === "merge") fanOut(view, id);
  marks.rings[id]?.animate([{ strokeWidth: "9px" }, { strokeWidth: "2.5px" }], { duration: 500 });
}
/* The ribbons of a split or a merge, drawn head by head. */
function fanOut(view, id) {
  for (const ribbon of view.root.querySelectorAll(`.part[data-stop=${id}] .ribbon`)) {
    const shown = getComputedStyle(ribbon).opacity;
    ribbon.animate([{ opacity: 0 }, { opacity: 0.6, offset: 0.6 }, { opacity: shown }], { duration: 600, delay: 25 * +ribbon.dataset.head, fill: "backwards" });
  }
}

/* Move the pulse along a path at an even pace. */
function travel(pulse, path) {
  const legs = path.slice(1).map(([x, y], i) => Math.hypot(x - path[i][0], y - path[i][1]));
  const total = legs.reduce((sum, leg) => sum + leg, 0);
  const start = performance.now();
  const frame = (time) => {
    const done = Math.min(1, Math.max(0, time - start) / TRAVEL_MS);
    let [i, along] = [0, done * total];
    while (i < legs.length - 1 && along > legs[i]) along -= legs[i++];
    const part = legs[i] ? along / legs[i] : 1;
    pulse.setAttribute("cx", path[i][0] + (path[i + 1][0] - path[i][0]) * part);
    pulse.setAttribute("cy", path[i][1] + (path[i + 1][1] - path[i][1]) * part);
    pulse.setAttribute("opacity", done < 1 ? 1 : 0);
    if (done < 1) requestAnimationFrame(frame);
  };
  requestAnimationFrame(frame);
}

/* Keys, while the focus is anywhere in the picture but in a field. */
function onKey(view, event) {
  const target = event.composedPath()[0];
  if (target.matches?.("input, select, textarea") || event.ctrlKey || event.metaKey || event.altKey) return;
  const scrolls = target.matches?.("pre, .inspector");
  const inPicture = target.closest?.(".op, .part") != null;
  const go = (i) => walkTo(view, i, inPicture);
  const actions = {
    ArrowRight: () => go(view.now + 1),
    ArrowLeft: () => go(view.now - 1),
    ArrowDown: scrolls ? null : () => go(view.now + 1),
    ArrowUp: scrolls ? null : () => go(view.now - 1),
    Home: scrolls ? null : () => go(0),
    End: scrolls ? null : () => go(view.stops.length - 1),
    " ": target.matches?.("button") ? null : () => play(view, !view.playing),
    Enter: inPicture ? () => select(view, view.at[target.closest(".op").dataset.stop]) : null,
    Escape: () => leaveWalk(view),
  };
  const act = actions[event.key];
  if (!act) return;
  event.preventDefault();
  event.stopPropagation();
  act();
}

/* Show the whole picture again. */
function leaveWalk(view) {
  view.walking = false;
  showDetails(view, false);
  play(view, false);
  refresh(view);
}
