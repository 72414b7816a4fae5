/* Text → tokens → embeddings: where the stream begins. */
function chipsThatFit(view, marks, room) {
  const { fs, h } = marks.g;
  const font = `600 ${fs + 1.5}px ${CODE}`;
  const all = view.data.tokens.map((token) => {
    const text = shortText(token.text, 12);
    const line = `${token.position} · ${token.id}`;
    return { ...token, text, line, width: Math.max(textWidth(text, font) + h(16), textWidth(line, `400 ${marks.g.sm}px ${SANS}`) + h(12)) };
  });
  const widthOf = (list) => list.reduce((sum, chip) => sum + chip.width + 6, 0);
  const total = view.data.axes.T;
  if (all.length === total && widthOf(all) <= room) return all;
  for (const [first, last] of [[3, 2], [2, 1], [1, 1], [1, 0]]) {
    if (first + last >= total) continue;
    const gap = { hidden: total - first - last };
    gap.width = textWidth(`… ${grouped(gap.hidden)} …`, `400 ${fs}px ${SANS}`) + h(8);
    const chips = [...all.slice(0, first), gap, ...(last ? all.slice(-last) : [])];
    if (widthOf(chips) <= room) return chips;
  }
  return all.slice(0, 1).map((chip) => ({ ...chip, width: Math.min(chip.width, room) }));
}

function drawChip(marks, chip, x, y) {
  const { chip: height, fs, sm } = marks.g;
  const group = marks.group("tokens");
  if (chip.hidden) {
    group.append(marks.text(x + chip.width / 2, y + height / 2, `… ${grouped(chip.hidden)} …`, "mid muted"));
    return;
  }
  group.append(svgTag("rect", { x, y, width: chip.width, height, rx: 6, style: "fill:var(--gx-wash-T)" }));
  group.append(tokenText(chip.text, x + chip.width / 2, y + height * 0.31, fs + 1.5), marks.text(x + chip.width / 2, y + height * 0.74, chip.line, "mid muted", sm));
}
/* A token's text, its dots for spaces in the hue of tokens. */
function tokenText(string, x, y, size) {
  const text = svgTag("text", { x, y, class: "mid code token", "font-size": size, "font-weight": 600, direction: "ltr" });
  for (const run of string.split(/(·+)/).filter(Boolean)) {
    const part = svgTag("tspan", run[0] === "·" ? { style: "fill:var(--gx-axis-T)" } : {});
    part.textContent = run;
    text.append(part);
  }
  return text;
}

function drawTokens(view, marks, y) {
  const { chip, sm, h, width } = marks.g;
  const shape = marks.out("tokens");
  const room = width - shapeWidth(shape, sm) - h(8);
  let x = 0;
  for (const part of chipsThatFit(view, marks, room)) {
    drawChip(marks, part, x, y);
    x += part.width + 6;
  }
  marks.group("tokens").classList.add("chips");
  marks.halo("tokens", 0, y, x - 6, chip);
  marks.group("tokens").append(marks.shape(x + 2, y + chip * 0.31, shape));
  marks.track("tokens", [marks.g.xLine, y + chip]);
}

/* What the strips show, or why they are empty. */
function legend(view) {
  if (!view.live) return view.feed ? "counted, not run: no values" : "values follow …";
  const { stride, groups } = view.live;
  const rows = view.data.axes.T > groups.length ? `${groups.length} of ${grouped(view.data.axes.T)} tokens` : "a row per token";
  return `strips: ${rows}, ${stride > 1 ? `every ${stride}${ordinal(stride)} feature` : "a column per feature"}`;
}
const ordinal = (n) => (n % 100 > 10 && n % 100 < 14 ? "th" : ["th", "st", "nd", "rd"][n % 10] ?? "th");

function drawLegend(view, marks, yMid) {
  const { sm, h, s, xEnd } = marks.g;
  const [above, below] = [yMid - sm * 0.62, yMid + sm * 0.68];
  marks.over.append(marks.text(xEnd, above, legend(view), "end muted", sm));
  if (!view.live) return;
  const { stream, parts } = view.live.limits;
  const end = `${scaleEnd(stream)}, in a block’s parts ${scaleEnd(parts)}`;
  const width = h(70);
  const x = xEnd - textWidth(end, `400 ${sm}px ${SANS}`) - h(5) - width;
  const gradient = svgTag("linearGradient", { id: "signed" });
  view.ramps.div.forEach((colour, i, all) => gradient.append(svgTag("stop", { offset: i / (all.length - 1), "stop-color": rgb(colour) })));
  marks.defs.append(gradient);
  marks.over.append(
    svgTag("rect", { x, y: below - 4 * s, width, height: 8 * s, fill: "url(#signed)" }),
    marks.text(x - 5, below, scaleEnd(-stream), "end muted", sm),
    marks.text(xEnd, below, end, "end muted", sm),
  );
}

/* Two tables, added: the beginning of the stream. */
function drawEmbedding(view, marks, y) {
  const { g } = marks;
  const width = g.phone ? g.h(104) : g.twoLines ? g.h(104) : g.h(150);
  const x = Math.max(0, g.xLine - width / 2);
  const parameters = (id) => view.stops[view.at[id]].parameters;
  const drop = g.gap * 1.3;
  const tip = Math.min(g.h(8), drop - 1); /* the arrow's head, where there is hardly room for an arrow */
  marks.group("tok_emb").append(
    svgTag("path", { d: `M${g.xLine} ${y - drop + 1}V${y - tip}`, class: "wire", style: `stroke:${hue("T")}` }),
    svgTag("path", { d: `M${g.xLine - g.h(5)} ${y - 1 - tip}h${g.h(10)}L${g.xLine} ${y - 1}z`, style: `fill:${hue("T")}` }),
  );
  marks.box("tok_emb", x, y, width, g.box, "param", "tok_emb", parameters("tok_emb"));
  const posX = x + width + g.h(g.phone ? 12 : 20);
  const posWidth = g.phone ? width * 0.86 : width;
  marks.box("pos_emb", posX, y, posWidth, g.box, "param", "pos_emb", parameters("pos_emb"));
  if (!g.phone) drawSum(view, marks, y, posX + posWidth + g.h(18));
  const yAdd = y + g.box + g.gap * 0.5 + g.plusRow / 2;
  marks.wire("pos_emb", `M${posX + posWidth / 2} ${y + g.box}V${yAdd}H${g.xLine + g.plus + 1}`, "param");
  marks.plus("add_emb", yAdd, "param");
  const yDrop = yAdd + g.plusRow / 2 + g.gap * 0.4;
  const label = textWidth("dropout, off", `400 ${g.sm}px ${SANS}`);
  marks.pill("drop_emb", g.xLine - g.h(12), yDrop, label + g.h(34), g.xLine + g.h(10), "");
  marks.group("drop_emb").append(marks.shape(g.xLine + label + g.h(32), yDrop + g.pill / 2, marks.out("drop_emb")));
  if (!g.phone) drawLegend(view, marks, yDrop + Math.min(g.pill / 2, g.pill - g.sm * 1.05)); /* above what follows */
  marks.track("tok_emb", [g.xLine, y + g.box / 2]);
  marks.track("pos_emb", [posX + posWidth / 2, y + g.box], [posX + posWidth / 2, yAdd]);
  marks.track("add_emb", [g.xLine, yAdd]);
  marks.track("drop_emb", [g.xLine, yDrop + g.pill / 2]);
  marks.tokenTable = { x, y: y + g.box / 2 };
  marks.yStream = y + g.box;
  return yDrop + g.pill;
}
/* The addition with its values: token + position = sum. */
function drawSum(view, marks, y, left) {
  const { D, xEnd, strip, sm, fs, h } = marks.g;
  const apart = h(18);
  const width = Math.min(D * 0.92, (xEnd - left - 2 * apart) / 3);
  if (width < 24) return;
  ["tok", "pos", "embed"].forEach((name, i) => {
    const x = xEnd - (3 - i) * width - (2 - i) * apart;
    marks.strip("add_emb", name, x, y + 2, width, strip + 2);
    const values = view.tensor(name);
    if (values) marks.group("add_emb").append(marks.text(x + width / 2, y + strip + 4 + sm * 0.8, `std ${decimal(values.std)}`, "mid", sm));
    if (i) marks.group("add_emb").append(marks.text(x - apart / 2, y + strip / 2 + 3, i === 1 ? "+" : "=", "mid bold", fs + 2));
  });
}
