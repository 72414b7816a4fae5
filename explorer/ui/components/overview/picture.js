/* The whole picture, from top to bottom. */
function drawPicture(view) {
  const stage = view.root.querySelector(".stage");
  const layout = makeLayout(view, stage.clientWidth, stage.clientHeight);
  const marks = new Marks(view, layout);
  const g = layout;
  view.marks = marks;
  view.root.style.setProperty("--wire", `${g.wire}px`);
  view.root.style.setProperty("--scale", view.mode === "desk" ? Math.min(1.3, g.s) : 1);
  marks.svg.setAttribute("viewBox", `0 0 ${g.width} ${g.height}`);
  marks.svg.style.height = g.phone ? `${g.height}px` : "";
  marks.svg.setAttribute("aria-label", "The model, from the text to the next token. Tab goes from operation to operation, arrow keys walk.");

  drawTokens(view, marks, 0);
  let y = drawEmbedding(view, marks, g.chip + g.gap * 1.3) + g.gap * 0.9;
  if (g.before) {
    drawStack(view, marks, "earlier", y, view.data.block);
    y += g.stack + g.gap * 0.9;
  }
  const yFrame = y;
  drawHeading(view, marks, y + g.head * 0.56);
  y = drawAttention(view, marks, y + g.head) + g.gap;
  y += g.between;
  marks.over.append(marks.beside("norm2", half(marks, g.phone ? g.xIn : g.xEnd, y + (g.phone ? -g.fs * 0.8 : g.fs * 0.3), "Feed-forward", "ff", view.data.per_block.ff, !g.phone)));
  y = drawFeedForward(view, marks, y) + g.h(8);
  drawFrame(marks, yFrame, y - yFrame);
  const yPost = y + g.sm * (g.phone ? 1.5 : 2.4) + g.strip / 2;
  y += g.gap * 0.9;
  if (g.after) {
    drawStack(view, marks, "later", y, view.data.n_layers - view.data.block - 1);
    y += g.stack;
  }
  y += g.gap * 1.3;
  marks.look("add_ff", "resid_post", Math.min(yPost, y - g.strip / 2 - 2), false);
  drawPrediction(view, marks, y);
  drawTie(view, marks);
  drawStream(view, marks);
  marks.inOrder();
  for (const part of view.root.querySelectorAll(".op, .part")) part.onclick = () => select(view, view.at[part.dataset.stop]);
}

/* The residual stream: one straight line, from the embedding to the final norm. */
function drawStream(view, marks) {
  const { xLine, line } = marks.g;
  const [top, end] = [marks.yStream, marks.yEnd];
  const bottom = end - line * 1.6;
  const tip = { d: `M${xLine - line * 1.35} ${end - line * 2}h${line * 2.7}L${xLine} ${end - 1}z`, style: "fill:var(--gx-act)" };
  const ends = { class: "stream", x1: xLine, x2: xLine, y1: top, y2: bottom, "stroke-width": line };
  const solid = svgTag("line", { ...ends, class: "stream reach", "stroke-dasharray": bottom - top });
  marks.stream.append(svgTag("g", { opacity: 0.3 }, svgTag("line", ends), svgTag("path", tip)), solid, svgTag("path", { ...tip, class: "part", "data-stop": "final_norm" }));
  let far = top; /* how far down the stream each operation has brought the walk */
  const reached = view.stops.map(({ id }) => (far = Math.max(far, ...(marks.tracks[id] ?? []).filter(([x]) => Math.abs(x - xLine) < 1).map(([, y]) => y))));
  marks.reach = (i) => solid.setAttribute("stroke-dashoffset", i == null ? 0 : Math.max(0, bottom - reached[i]));
  marks.pulse = svgTag("circle", { class: "pulse", r: line + 1, opacity: 0 });
  marks.svg.append(marks.pulse);
}
