/* The open block's frame, and the other blocks, folded. */
const MOST_BARS = 24;

function drawFrame(marks, y, height) {
  marks.frames.append(svgTag("rect", { class: "frame", x: -10, y, width: marks.g.width + 20, height, rx: 10 }));
}

/* The frame's heading: which block, and what its halves hold. */
function drawHeading(view, marks, y) {
  const { g } = marks;
  const { per_block, block, n_layers } = view.data;
  const heading = svgTag("text", { x: g.xLane, y, "font-size": g.fs });
  const name = svgTag("tspan", { "font-weight": 700 });
  name.textContent = `Block ${block}`;
  heading.append(name);
  if (!g.phone) {
    const of = svgTag("tspan", { style: "fill:var(--gx-muted)" });
    of.textContent = ` of ${n_layers}`;
    heading.append(of);
  }
  const written = textWidth(heading.textContent, `600 ${g.fs}px ${SANS}`);
  marks.edge("norm1", g.xLane + g.lane, y, g.lane - written - 8, "end");
  marks.over.append(heading, marks.beside("norm1", half(marks, g.xIn, y, "Attention", "attn", per_block.att, false)));
  if (!g.phone) marks.over.append(marks.text(g.xEnd, y, `${grouped(per_block.all)} in this block`, "end count"));
}
/* A half of the block: its name in its hue, and its parameters. */
function half(marks, x, y, name, role, n, atEnd) {
  const text = svgTag("text", { x, y, class: atEnd ? "end" : "", "font-size": marks.g.fs });
  const label = svgTag("tspan", { "font-weight": 700, style: `fill:${hue(role)}` });
  label.textContent = name;
  const number = svgTag("tspan", { class: "count", dx: 6 });
  number.textContent = grouped(n);
  text.append(label, number);
  return text;
}

/* A run of blocks as bars, attention and feed-forward in their share of the parameters. */
function drawStack(view, marks, id, y, run) {
  const { g } = marks;
  const stop = view.stops[view.at[id]];
  const bars = Math.min(run, MOST_BARS);
  const pitch = Math.min(g.stack / bars, g.stack / 3);
  const top = y + (g.stack - pitch * bars) / 2;
  const { att, ff } = view.data.per_block;
  const split = (g.F * att) / (att + ff);
  marks.halo(id, g.xLane, y, g.xEnd - g.xLane, g.stack);
  for (let i = 0; i < bars; i++) {
    const bar = { y: top + i * pitch, height: pitch * 0.62, opacity: 0.55 };
    marks.group(id).append(svgTag("rect", { ...bar, x: g.xIn, width: split - 1, style: "fill:var(--gx-attn)" }), svgTag("rect", { ...bar, x: g.xIn + split, width: g.F - split, style: "fill:var(--gx-ff)" }));
  }
  const n = run === 1 ? grouped(view.data.per_block.all) : `${run} × ${grouped(view.data.per_block.all)}`;
  const shown = textWidth(n, `500 ${g.sm}px ${SANS}`) <= g.lane + g.toIn - 4 ? n : `${run} × ${count(view.data.per_block.all, 0, "500 12px sans-serif")}`;
  marks.group(id).append(marks.text(g.xLane, y + g.stack / 2 - g.sm * 0.62, stop.title, "bold"), marks.text(g.xLane, y + g.stack / 2 + g.sm * 0.7, shown, "count", g.sm));
  marks.track(id, [g.xLine, y + g.stack / 2]);
}
