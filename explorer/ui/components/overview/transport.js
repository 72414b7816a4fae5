/* The walk's buttons, its sentence, and the track with a point for every operation. */
const ICONS = {
  reset: "M5 4h2.4v12H5zM16 4v12l-8-6z",
  back: "M14 4v12L5 10z",
  play: "M6 3.5v13l10-6.5z",
  pause: "M5.5 4h3.4v12H5.5zM11 4h3.4v12H11z",
  step: "M6 4v12l9-6z",
  details: "M4 5h12v2H4zM4 9h12v2H4zM4 13h8v2H4z",
};

function buildKeys(view) {
  const keys = view.root.querySelector(".keys");
  if (keys.children.length) return;
  const actions = { reset: ["Reset", (v) => walkTo(v, 0)], back: ["Back", (v) => walkTo(v, v.now - 1)], play: ["Play", (v) => play(v, !v.playing)], step: ["Step", (v) => walkTo(v, v.now + 1)], details: ["Details", (v) => showDetails(v, !v.root.classList.contains("open"))] };
  for (const [id, [name, act]] of Object.entries(actions)) {
    const icon = svgTag("svg", { viewBox: "0 0 20 20", "aria-hidden": true }, svgTag("path", { d: ICONS[id] }));
    const button = htmlTag("button", { type: "button", class: id, "data-key": id }, icon, htmlTag("span", {}, name));
    button.onclick = () => act(view);
    keys.append(button);
  }
}

/* On a phone the inspector is a sheet above the walk, opened by a box or by its button. */
function showDetails(view, on) {
  view.root.classList.toggle("open", on);
  view.root.querySelector(".details").setAttribute("aria-expanded", on);
  view.root.style.setProperty("--dock", `${view.root.querySelector(".transport").offsetHeight}px`);
  if (!on) return;
  inspect(view);
  bringIntoView(view);
}

/* Where each operation's point is on a track of this width; parts are set apart. */
function trackPoints(stops, width) {
  const [pad, apart] = [10, 10];
  const changes = stops.filter((stop, i) => i && stop.part !== stops[i - 1].part).length;
  const step = (width - 2 * pad - apart * changes) / (stops.length - 1);
  let x = pad;
  return stops.map((stop, i) => (x += i ? step + (stop.part !== stops[i - 1].part ? apart : 0) : 0));
}

function buildTrack(view) {
  const host = view.root.querySelector(".scrub");
  const width = host.clientWidth;
  const points = trackPoints(view.stops, width);
  const [y, big] = [11, view.mode === "projector"];
  const rail = (css, style) => svgTag("line", { class: css, x1: points[0], x2: points.at(-1), y1: y, y2: y, "stroke-width": big ? 6 : 4, "stroke-linecap": "round", style });
  const svg = svgTag("svg", { "aria-hidden": true }, rail("rail", "stroke:var(--gx-line)"), rail("done", "stroke:var(--gx-act)"));
  points.forEach((x) => svg.append(svgTag("circle", { class: "tick", cx: x, cy: y, r: big ? 4.5 : 3.4 })));
  trackNames(view, svg, points, width, big ? host.clientHeight - 7 : 29);
  svg.append(svgTag("circle", { class: "knob", cy: y, r: big ? 10 : 8 }));
  host.replaceChildren(svg);
  view.points = points;
  const seek = (event) => {
    const x = event.clientX - host.getBoundingClientRect().left;
    const nearest = points.reduce((best, point, i) => (Math.abs(point - x) < Math.abs(points[best] - x) ? i : best), 0);
    if (nearest !== view.now || !view.walking) walkTo(view, nearest);
  };
  host.onpointerdown = (event) => {
    host.setPointerCapture(event.pointerId);
    seek(event);
  };
  host.onpointermove = (event) => event.buttons && seek(event);
}

/* Names of the parts below their points; one that has no room is left out. */
function trackNames(view, svg, points, width, y) {
  const size = parseFloat(getComputedStyle(view.root.querySelector(".scrub")).fontSize) || 13;
  let right = -12;
  view.stops.forEach((stop, first) => {
    if (first && stop.part === view.stops[first - 1].part) return;
    const last = view.stops.findLastIndex(({ part }) => part === stop.part);
    const name = stop.part.split(", ")[0];
    const w = textWidth(name, `600 ${size}px ${SANS}`);
    const end = last === view.stops.length - 1;
    const x = end ? width - w : Math.max(0, (points[first] + points[last]) / 2 - w / 2);
    if (x < right + 8) return;
    right = x + w;
    svg.append(label(x, y, name, "", size));
    svg.lastChild.dataset.part = stop.part;
  });
}

function updateTransport(view) {
  const stop = view.stops[view.now];
  const playing = view.playing > 0;
  const button = view.root.querySelector(".play");
  button.querySelector("path").setAttribute("d", ICONS[playing ? "pause" : "play"]);
  button.querySelector("span").textContent = playing ? "Pause" : "Play";
  const say = view.live?.say[stop.id] ?? stop.say;
  view.root.querySelector(".now").replaceChildren(htmlTag("span", { class: "count" }, `${view.now + 1}/${view.stops.length}`), htmlTag("b", {}, stop.title), htmlTag("span", { class: "say" }, say));
  const track = view.root.querySelector(".scrub");
  fill(track, { "aria-valuemin": 1, "aria-valuemax": view.stops.length, "aria-valuenow": view.now + 1, "aria-valuetext": stop.title }, []);
  track.querySelector(".knob").setAttribute("cx", view.points[view.now]);
  track.querySelector(".done").setAttribute("x2", view.points[view.now]);
  track.querySelectorAll("text").forEach((text) => text.classList.toggle("on", text.dataset.part === stop.part));
  track.querySelectorAll(".tick").forEach((tick, i) => tick.classList.toggle("passed", i <= view.now));
}
