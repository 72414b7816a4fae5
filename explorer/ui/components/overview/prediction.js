/* The way out: final norm, head, softmax, and the next token. */
function drawPrediction(view, marks, y) {
  const { g } = marks;
  const parameters = (id) => view.stops[view.at[id]].parameters;
  const head = view.data.tied ? "tied, adds 0" : parameters("out_head");
  const norm = g.twoLines ? g.h(g.phone ? 92 : 104) : g.h(136);
  const x = Math.max(0, g.xLine - norm / 2);
  marks.box("final_norm", x, y, norm, g.tail, "norm", "final_norm", parameters("final_norm"), true);
  marks.track("final_norm", [g.xLine, y]);
  const widths = g.phone ? { out_head: 104, probs: 70, next: 104 } : g.twoLines ? { out_head: g.h(104), probs: g.h(66), next: g.h(104) } : { out_head: g.h(150), probs: g.h(68), next: g.h(136) };
  (g.phone ? drawTwoRows : drawOneRow)(view, marks, { x, y, norm, head, widths });
  marks.yEnd = y;
}

/* A tensor on its way along the row, with its shape below. */
function onTheWay(marks, id, name, x, yMid, width, shapeOf = id) {
  const { g } = marks;
  marks.strip(id, name, x, yMid - g.strip / 2, width);
  const axes = marks.out(shapeOf);
  marks.group(id).append(marks.shape(x + width / 2, yMid + g.tail / 2 + g.sm * 0.65, axes, "mid"));
}

function drawOneRow(view, marks, { x, y, norm, head, widths }) {
  const { g } = marks;
  const yMid = y + g.tail / 2;
  const arrow = g.h(g.twoLines ? 16 : 13);
  const strip = Math.max(24, (g.xEnd - x - norm - widths.out_head - widths.probs - widths.next - 5 * arrow) / 2);
  let at = x + norm;
  /* Each thing on the row: an arrow to it, itself, and on. */
  const next = (id, width, draw) => {
    marks.wire(id, `M${at} ${yMid}h${arrow - 1}`);
    draw(at + arrow);
    at += arrow + width;
  };
  const box = (id, label, n) => (left) => {
    marks.box(id, left, y, widths[id], g.tail, "param", label, n);
    marks.track(id, [left + widths[id] / 2, yMid]);
  };
  next("final_norm", strip, (left) => onTheWay(marks, "final_norm", "final_norm_out", left, yMid, strip));
  next("out_head", widths.out_head, box("out_head", "out_head", head));
  next("out_head", strip, (left) => onTheWay(marks, "out_head", "logits", left, yMid, strip));
  next("probs", widths.probs, box("probs", "softmax"));
  marks.group("probs").append(marks.shape(at + arrow / 2, yMid + g.tail / 2 + g.sm * 0.65, marks.out("probs"), "mid"));
  next("next", widths.next, (left) => drawNextToken(view, marks, left, y, widths.next, g.tail));
  marks.track("next", [at - widths.next / 2, yMid]);
}

function drawTwoRows(view, marks, { x, y, norm, head, widths }) {
  const { g } = marks;
  const yMid = y + g.tail / 2;
  const xHead = g.xEnd - widths.out_head;
  const strip = xHead - x - norm - 32;
  marks.wire("final_norm", `M${x + norm} ${yMid}h15`);
  onTheWay(marks, "final_norm", "final_norm_out", x + norm + 16, yMid, strip);
  marks.wire("out_head", `M${x + norm + 16 + strip} ${yMid}h15`);
  marks.box("out_head", xHead, y, widths.out_head, g.tail, "param", "out_head", head);
  marks.track("out_head", [xHead + widths.out_head / 2, yMid]);
  const below = y + g.tail + 36;
  const yRow = below + g.tail / 2;
  const xLogits = x;
  const width = g.xEnd - xLogits - widths.probs - widths.next - 32;
  marks.wire("out_head", `M${xHead + widths.out_head / 2} ${y + g.tail}v19H${xLogits + width / 2}V${yRow - g.strip / 2 - 2}`);
  onTheWay(marks, "out_head", "logits", xLogits, yRow, width);
  marks.wire("probs", `M${xLogits + width} ${yRow}h15`);
  marks.box("probs", xLogits + width + 16, below, widths.probs, g.tail, "param", "softmax");
  marks.wire("next", `M${xLogits + width + 16 + widths.probs} ${yRow}h15`);
  marks.group("probs").append(marks.shape(g.xEnd - widths.next - 8, yRow + g.tail / 2 + g.sm * 0.65, marks.out("probs"), "mid"));
  drawNextToken(view, marks, g.xEnd - widths.next, below, widths.next, g.tail);
  marks.track("probs", [xLogits + width + 16 + widths.probs / 2, yRow]);
  marks.track("next", [g.xEnd - widths.next / 2, yRow]);
}

function drawNextToken(view, marks, x, y, width, height) {
  const { g } = marks;
  const winner = view.live?.top[0];
  const group = marks.group("next");
  marks.halo("next", x, y, width, height);
  group.append(svgTag("rect", { x, y, width, height, rx: 6, style: "fill:var(--gx-wash-T)" }));
  if (!winner) {
    group.append(marks.text(x + width / 2, y + height / 2, "next token", "mid muted", g.sm));
    return;
  }
  const size = g.phone ? 12 : g.fs + 0.5;
  const most = Math.max(3, Math.floor((width - 12) / textWidth("m", `600 ${size}px ${CODE}`)));
  const room = g.twoLines ? most : most - 6;
  const text = tokenText(shortText(winner.text, Math.max(3, room)), x + width / 2, y + height * (g.twoLines ? 0.3 : 0.5), size);
  group.append(text);
  if (g.twoLines) {
    group.append(marks.text(x + width / 2, y + height * 0.74, String(winner.id), "mid muted", g.sm));
    return;
  }
  const id = svgTag("tspan", { class: "muted plain", "font-size": g.sm, dx: g.sm * 0.4 });
  id.textContent = winner.id;
  text.append(id);
}

/* Tied: the head's matrix is the token table. A dotted line says so. */
function drawTie(view, marks) {
  const { g } = marks;
  if (!view.data.tied) return;
  const [[x]] = marks.tracks.out_head;
  const { x: xTable, y: yTable } = marks.tokenTable;
  const bottom = marks.yEnd + g.tail;
  const drop = g.phone ? 5 : g.sm * 1.35;
  marks.group("out_head").append(
    svgTag("path", { d: `M${x} ${bottom + 1}V${bottom + drop}H${g.phone ? -7 : -18}V${yTable}H${xTable - 2}`, class: "wire", style: "stroke:var(--gx-param);stroke-dasharray:2 5;stroke-linecap:round" }),
    marks.text(0, yTable - g.sm * 0.9, "tied", "count", g.sm),
  );
}
