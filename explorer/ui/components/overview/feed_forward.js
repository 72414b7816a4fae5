/* The feed-forward: a wedge that opens to four times its width, GELU, and a wedge that closes. */
function drawFeedForward(view, marks, y) {
  const { g } = marks;
  const yTap = y + g.box / 2;
  marks.look("norm2", "resid_mid", yTap);
  marks.wire("norm2", `M${g.xLine} ${yTap}H${g.xLane - 1}`);
  marks.box("norm2", g.xLane, y, g.lane, g.box, "norm", "norm2", view.data.per_block.norm2);
  marks.edge("norm2", g.xLane + g.lane, y - g.sm * 0.6, g.lane, "end");
  marks.group("norm2").append(svgTag("circle", { cx: g.xLine, cy: yTap, r: g.line * 0.75, style: "fill:var(--gx-act)" }));
  marks.wire("ff_up", `M${g.xLane + g.lane} ${yTap}H${g.xIn - 1}`);
  const yUp = y + g.wedge + 2;
  const yGelu = yUp + g.strip + 3;
  const yHidden = yGelu + g.gelu + 3;
  const yDown = yHidden + g.strip + 2;
  const yOut = yDown + g.wedge + 4;
  const yMid = yOut + g.strip / 2;
  drawWedge(view, marks, "ff_up", "Linear D → F", y, true);
  marks.stretch.ff_up = marks.strip("ff_up", "ff_pre", g.xIn, yUp, g.F);
  drawGelu(view, marks, yGelu, yHidden);
  drawWedge(view, marks, "ff_down", "Linear F → D", yDown, false);
  marks.stretch.ff_down = marks.strip("ff_down", "ff_out", g.xIn, yOut, g.D);
  marks.group("ff_down").append(marks.shape(g.xIn + g.D + g.h(8), yMid, marks.out("ff_down")));
  marks.wire("drop_ff", `M${g.xIn} ${yMid}H${g.xLane + g.lane + 1}`, "ff", false);
  marks.pill("drop_ff", g.xLane, yMid - g.pill / 2, g.lane, g.laneMid, "mid");
  marks.wire("add_ff", `M${g.xLane} ${yMid}H${g.xLine + g.plus + 2}`, "ff");
  marks.plus("add_ff", yMid, "ff");
  marks.track("norm2", [g.xLine, yTap], [g.laneMid, yTap]);
  marks.track("ff_up", [g.xIn + g.D / 2, yTap], [g.xIn + g.D / 2, yUp]);
  marks.track("gelu", [g.xIn + g.D / 2, yGelu + g.gelu / 2]);
  marks.track("ff_down", [g.xIn + g.D / 2, yDown + g.wedge / 2], [g.xIn + g.D / 2, yMid]);
  marks.track("drop_ff", [g.laneMid, yMid]);
  marks.track("add_ff", [g.xLine, yMid]);
  return yMid + g.pill / 2;
}

function drawWedge(view, marks, id, label, y, opens) {
  const { g } = marks;
  const [x, narrow, wide] = [g.xIn, g.xIn + g.D, g.xEnd];
  const [top, bottom] = opens ? [narrow, wide] : [wide, narrow];
  const end = y + g.wedge;
  const below = end + g.strip + (opens ? 4 : 6);
  marks.outline(id, [[x - 3, y - 3], [top + 3, y - 3], [bottom + 3, end - (opens ? 2 : -1)], [bottom + 3, below], [x - 3, below]]);
  marks.group(id).append(svgTag("polygon", { points: [[x, y], [top, y], [bottom, end], [x, end]].join(" "), style: "fill:var(--gx-wash-ff)" }));
  const shift = opens ? 0.08 : -0.06;
  const yMid = y + g.wedge * 0.5 + shift * g.sm;
  const n = grouped(view.stops[view.at[id]].parameters);
  if (g.phone) {
    marks.group(id).append(marks.text(x + 8, yMid - g.sm * 0.6, label, "bold"), marks.text(x + 8, yMid + g.sm * 0.65, n, "count", g.sm));
    return;
  }
  const line = marks.text(x + 8, yMid, label, "bold");
  const number = svgTag("tspan", { class: "count", "font-size": g.sm, dx: g.sm * 0.5 });
  number.textContent = n;
  line.append(number);
  marks.group(id).append(line);
}

function drawGelu(view, marks, y, yHidden) {
  const { g } = marks;
  const group = marks.group("gelu");
  marks.halo("gelu", g.xIn, y, g.F, g.gelu + 3 + g.strip);
  group.append(svgTag("rect", { x: g.xIn, y, width: g.F, height: g.gelu, rx: 4, style: "fill:var(--gx-wash-ff)" }), marks.text(g.xIn + 8, y + g.gelu / 2, "GELU", "bold"));
  const gelu = (v) => 0.5 * v * (1 + Math.tanh(Math.sqrt(2 / Math.PI) * (v + 0.044715 * v ** 3)));
  const x = g.xIn + 20 + textWidth("GELU", `600 ${g.fs}px ${SANS}`);
  const [width, height] = [g.h(40), g.gelu - 10];
  const points = Array.from({ length: 33 }, (_, i) => [x + (width * i) / 32, y + g.gelu - 5 - (height * (gelu(-3 + (6 * i) / 32) + 0.17)) / 3.17]);
  group.append(svgTag("polyline", { points: points.join(" "), class: "wire", style: "stroke:var(--gx-ff)" }), marks.shape(g.xEnd - 8, y + g.gelu / 2, marks.out("gelu"), "end"));
  marks.strip("gelu", "ff_hidden", g.xIn, yHidden, g.F);
}
