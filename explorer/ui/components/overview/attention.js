/* Attention: out along the top, through the heads, back along the bottom to the stream. */
const SHOWN_HEADS = 16;
const HEADS_WITH_MORE = 11; /* single heads where not all can be shown; the rest are one more place */

function drawAttention(view, marks, y) {
  const { g } = marks;
  const yTap = y + g.box / 2;
  marks.look("norm1", "resid_pre", yTap);
  marks.wire("norm1", `M${g.xLine} ${yTap}H${g.xLane - 1}`);
  marks.box("norm1", g.xLane, y, g.lane, g.box, "norm", "norm1", view.data.per_block.norm1);
  marks.group("norm1").append(svgTag("circle", { cx: g.xLine, cy: yTap, r: g.line * 0.75, style: "fill:var(--gx-act)" }));
  marks.track("norm1", [g.xLine, yTap], [g.laneMid, yTap]);
  const sources = drawQueryKeyValue(view, marks, y, yTap);
  const yReturn = drawHeadRows(view, marks, y + g.box + 4);
  const yProject = yReturn - g.box / 2;
  const xMerged = g.xEnd - g.D; /* the merged tensor sits at the right */
  drawHeads(view, marks, sources, y + g.box + 3 + g.strip, yProject, { x: xMerged, y: yReturn - g.strip / 2 });
  drawReturn(view, marks, xMerged, yProject, yReturn);
  return yProject + g.box;
}

/* Three matrices side by side, and the three tensors they make. Returns where those begin. */
function drawQueryKeyValue(view, marks, y, yTap) {
  const { g } = marks;
  const third = g.F / 3;
  const each = view.stops[view.at.qkv].parameters / 3;
  marks.wire("qkv", `M${g.xLane + g.lane} ${yTap}H${g.xIn - 1}`);
  marks.halo("qkv", g.xIn, y, g.F, g.box);
  marks.group("qkv").append(svgTag("rect", { x: g.xIn, y, width: g.F, height: g.box, rx: 6, style: "fill:var(--gx-wash-attn)" }));
  marks.track("qkv", [g.xIn + g.F / 2, yTap]);
  return ["query", "key", "value"].map((name, i) => {
    const [left, x, below] = [g.xIn + third * i, g.xIn + third * i + (third - g.D) / 2, y + g.box + 3];
    if (i) marks.group("qkv").append(svgTag("path", { d: `M${left} ${y + 5}v${g.box - 10}`, class: "wire", style: "stroke:var(--gx-panel)" }));
    marks.named("qkv", left, y, third, g.box, `W_${name}`, each);
    marks.strip("qkv", name[0], x, below, g.D);
    marks.group("qkv").append(marks.text(x - 5, below + g.strip / 2, name[0], "end bold", g.sm));
    return x;
  });
}

/* What happens inside a head has no parameters and no box: a list, in order, with shapes. */
function drawHeadRows(view, marks, y) {
  const { g } = marks;
  HEAD_ROWS.forEach(([id, name, letters], i) => {
    const yMid = y + g.row * (i + 0.5);
    const axes = rowAxes(letters, view.data.axes, g.phone);
    marks.group(id).append(
      svgTag("rect", { class: "halo", x: g.xLane - 3, y: yMid - g.row / 2, width: g.lane + 6, height: g.row, rx: 5 }),
      marks.text(g.xLane + 2, yMid, name, "", g.fs - 0.5),
      marks.shape(g.xLane + g.lane - 1, yMid, axes, "end"),
    );
    marks.track(id, [g.laneMid, yMid]);
  });
  return y + g.rows + g.pill / 2 + 4;
}

/* The rows of heads that make their cells largest in a space. */
function headGrid(places, width, height) {
  let best = { cell: 0 };
  for (let rows = 1; rows <= Math.min(4, places); rows++) {
    const perRow = Math.ceil(places / rows);
    const cell = Math.min(width / perRow - 4, (height - 6 * (rows - 1)) / rows);
    if (cell > best.cell) best = { cell, rows, perRow };
  }
  return best;
}

/* Every head as a T × T square, joined by ribbons to its slices of q, k and v and of the result. */
function drawHeads(view, marks, sources, top, bottom, merged) {
  const { g } = marks;
  const all = view.data.axes.H;
  const shown = all <= SHOWN_HEADS ? all : HEADS_WITH_MORE;
  const places = shown + (all > shown);
  const space = bottom - top - 2 * g.fan;
  const { cell, rows, perRow } = headGrid(places, g.F, space);
  const [pitch, slice] = [g.F / perRow, g.D / all];
  const yHeads = top + g.fan + (space - rows * cell - (rows - 1) * 6) / 2;
  const place = (i) => [g.xIn + pitch * (i % perRow) + (pitch - cell) / 2, yHeads + Math.floor(i / perRow) * (cell + 6)];
  const ribbons = { split: marks.backdrop("split"), merge: marks.backdrop("merge") };
  const ribbon = (id, head, x0, w0, y0, x1, w1, y1) => {
    const mid = (y0 + y1) / 2;
    const d = `M${x0} ${y0}C${x0} ${mid} ${x1} ${mid} ${x1} ${y1}H${x1 + w1}C${x1 + w1} ${mid} ${x0 + w0} ${mid} ${x0 + w0} ${y0}z`;
    ribbons[id].append(svgTag("path", { d, class: "ribbon", "data-head": head }));
  };
  const squares = marks.group("scores"); /* the first operation that fills them */
  marks.heads = [];
  for (let i = 0; i < places; i++) {
    const [x, y] = place(i);
    const wide = (i < shown ? 1 : all - shown) * slice;
    sources.forEach((x0, j) => ribbon("split", i, x0 + i * slice, wide, top, x + (j * cell) / 3, cell / 3, y));
    ribbon("merge", i, x, cell, y + cell, merged.x + i * slice, wide, merged.y);
    if (i < shown) marks.heads.push(headSquare(view, marks, squares, i, x, y, cell));
    else squares.append(svgTag("rect", { x, y, width: cell, height: cell, rx: 4, style: "fill:var(--gx-panel);stroke:var(--gx-attn);stroke-dasharray:3 3" }), marks.text(x + cell / 2, y + cell / 2, `+${all - shown}`, "mid bold", g.fs));
  }
  marks.headFrame = svgTag("rect", { class: "head-frame", x: g.xIn - 4, y: yHeads - 5, width: g.F + 8, height: rows * cell + (rows - 1) * 6 + 10, rx: 6 });
  marks.over.append(marks.headFrame);
}

function headSquare(view, marks, parent, head, x, y, side) {
  const n = view.live?.heads.side ?? Math.min(view.data.axes.T, 16);
  const square = svgTag("g", { class: "head", "data-head": head, transform: `translate(${x} ${y})` });
  square.append(svgTag("rect", { width: side, height: side, style: "fill:var(--gx-page);stroke:var(--gx-line)" }));
  const cells = [];
  for (let row = 0; row < n; row++) {
    for (let column = 0; column < n; column++) {
      const cell = svgTag("rect", { x: (column * side) / n, y: (row * side) / n, width: side / n, height: side / n, style: "fill:none" });
      cells.push({ cell, row, column });
      square.append(cell);
    }
  }
  const ring = svgTag("rect", { x: -1.5, y: -1.5, width: side + 3, height: side + 3, rx: 2, class: "ring" });
  square.append(ring);
  parent.append(square);
  square.onclick = (event) => {
    event.stopPropagation();
    chooseHead(view, head);
  };
  return { square, cells, ring };
}

/* Merged heads → out_proj → dropout → the addition. */
function drawReturn(view, marks, xMerged, yBox, yMid) {
  const { g } = marks;
  const width = Math.min(g.F / 3, g.F - 2 * g.D - g.h(30));
  const x = g.xIn + g.D + (g.F - 2 * g.D - width) / 2;
  marks.strip("merge", "context", xMerged, yMid - g.strip / 2, g.D);
  marks.wire("out_proj", `M${xMerged} ${yMid}H${x + width + 1}`, "attn");
  marks.box("out_proj", x, yBox, width, g.box, "attn", "out_proj", view.stops[view.at.out_proj].parameters);
  marks.wire("out_proj", `M${x} ${yMid}H${g.xIn + g.D + 1}`, "attn");
  marks.strip("out_proj", "attn_out", g.xIn, yMid - g.strip / 2, g.D);
  marks.edge("out_proj", g.xIn, yMid + g.strip / 2 + g.sm * 0.85, g.D + 8);
  marks.wire("drop_att", `M${g.xIn} ${yMid}H${g.xLane + g.lane + 1}`, "attn", false);
  marks.pill("drop_att", g.xLane, yMid - g.pill / 2, g.lane, g.laneMid, "mid");
  marks.wire("add_att", `M${g.xLane} ${yMid}H${g.xLine + g.plus + 2}`, "attn");
  marks.plus("add_att", yMid, "attn");
  marks.track("out_proj", [x + width / 2, yMid]);
  marks.track("drop_att", [g.laneMid, yMid]);
  marks.track("add_att", [g.xLine, yMid]);
}
