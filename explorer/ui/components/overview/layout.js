/* Sizes and columns of the picture, in px. Depth runs down; features run sideways and to scale: D is
   one unit wide, F is four. Sizes are given at scale 1; the scale is what fits height and width. */
const SIZES = {
  desk: { fs: 13.5, sm: 12.5, line: 6, wire: 2, toLine: 18, toLane: 22, lane: 106, toIn: 18, plus: 9, box: 34, chip: 37, tail: 34, wedge: 25, gelu: 24, fan: 16, strip: 14, pill: 24, row: 24, stack: 28, head: 22, between: 9.5, wide: 600, twoLines: true },
  projector: { fs: 16.1, sm: 15.65, line: 7.5, wire: 2.6, toLine: 16, toLane: 22, lane: 114, toIn: 16, plus: 9, box: 25, chip: 38, tail: 28, wedge: 25, gelu: 24, fan: 16, strip: 14, pill: 24, row: 24, stack: 34, head: 26, between: 15.5, wide: 690, twoLines: false },
  phone: { fs: 13, sm: 12, line: 5, wire: 2, toLine: 11, toLane: 15, lane: 88, toIn: 10, plus: 9, box: 42, chip: 44, tail: 42, wedge: 40, gelu: 30, fan: 26, strip: 14, pill: 26, row: 28, stack: 36, head: 28, between: 20.8, wide: 340, twoLines: true },
};
const UNSCALED = ["wide", "twoLines"];
const GAPS = 7.4; /* gaps between the parts, in units of `gap` */

/* The rows inside a head, with the axes that each puts out; the first also with what it takes in,
   where there is room. */
const HEAD_ROWS = [["split", "split", "D→HK"], ["scores", "q·k / √K", "TT"], ["mask", "mask", "TT"], ["softmax", "softmax", "TT"], ["weighted", "× v", "TK"], ["merge", "merge", "TD"]];

/* Width of an axis text such as "T4 D768" at a font size. */
const shapeWidth = (axes, size) =>
  axes.reduce((sum, [letter, n], i) => sum + (i ? size * 0.55 : 0) + textWidth(letter, `700 ${size}px ${SANS}`) + size * 0.13 + textWidth(n, `500 ${size}px ${SANS}`), 0);

/* Letters with their sizes; an arrow stays an arrow. */
const rowAxes = (letters, axes, phone) => [...(phone ? letters.split("→").at(-1) : letters)].map((letter) => [letter, letter === "→" ? "" : grouped(axes[letter])]);

/* The lane left of the heads must hold its longest row. */
function laneWidth(base, axes, phone) {
  const rows = HEAD_ROWS.map(([, name, letters]) => textWidth(name, `400 ${base.fs - 0.5}px ${SANS}`) + 12 + shapeWidth(rowAxes(letters, axes, phone), base.sm));
  return Math.max(base.lane, ...rows);
}

/* Everything that drawing needs to know about places. `room` is the height there is. */
function makeLayout(view, width, room) {
  const { data, mode } = view;
  const phone = mode === "phone";
  const base = { ...SIZES[mode], lane: laneWidth(SIZES[mode], data.axes, phone) };
  const before = data.block > 0;
  const after = data.block < data.n_layers - 1;
  const rows = HEAD_ROWS.length * base.row;
  const attention = base.box + rows + 4 + base.pill / 2 + 4 + base.box / 2;
  const feedForward = base.between + 2 * base.wedge + 2.5 * base.strip + base.gelu + 14;
  const need =
    base.chip + base.box + Math.max(24, 2 * base.plus) + base.pill + base.head + attention + feedForward + base.pill / 2 + 8 +
    (before + after) * base.stack + base.tail + (phone ? base.tail + 24 : 0) + base.sm * 1.2;
  const gaps = GAPS + (before ? 0.9 : 0);
  const smallest = phone ? 12 : 4.5;
  const s = phone ? 1 : Math.max(1, Math.min(room / (need + gaps * smallest), width / (base.wide + base.lane - SIZES[mode].lane)));
  const g = Object.fromEntries(Object.entries(base).map(([k, v]) => [k, UNSCALED.includes(k) ? v : v * s]));
  g.gap = phone ? smallest : Math.max(2, (room - need * s) / gaps);
  g.height = need * s + gaps * g.gap;
  g.h = (v) => v * s;
  Object.assign(g, { s, width, phone, before, after, rows: rows * s, plusRow: Math.max(24, 2 * base.plus) * s });
  g.D = (width - g.toLine - g.toLane - g.lane - g.toIn) / 5;
  g.F = 4 * g.D;
  g.xLine = g.D + g.toLine; /* the residual stream */
  g.xLane = g.xLine + g.toLane; /* norms, dropout, the list of what a head does */
  g.laneMid = g.xLane + g.lane / 2;
  g.xIn = g.xLane + g.lane + g.toIn; /* attention and feed-forward */
  g.xEnd = g.xIn + g.F;
  return g;
}
