/* The inspector's figures. */
function figureSize(view) {
  const inspector = view.root.querySelector(".inspector");
  const style = getComputedStyle(inspector);
  const width = inspector.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight);
  return { width: Math.max(200, Math.min(560, width)), fs: Math.max(12, parseFloat(style.fontSize) * 0.9) };
}
const drawing = (width, height, label) => svgTag("svg", { viewBox: `0 0 ${width} ${height}`, style: `max-width:${width}px`, role: "img", "aria-label": label });
function label(x, y, string, css, fs, style = "") {
  const text = svgTag("text", { x, y, class: css, "font-size": fs, style });
  text.textContent = string;
  return text;
}

/* What a strip is, in words. */
function stripInWords(view, tensor) {
  if (!tensor.rows) return "";
  const { stride, groups } = view.live;
  const rows = view.data.axes.T > groups.length ? `${groups.length} of the ${grouped(view.data.axes.T)} tokens` : "every token";
  const columns = tensor.columns < 2 * 48 && tensor.n / view.data.axes.T > 4 * view.data.axes.D ? Math.ceil(view.data.axes.V / 48) : stride;
  const features = columns > 1 ? `every ${grouped(columns)}${ordinal(columns)} number` : "every number";
  return ` The strip: ${features} of ${rows}, orange from ${scaleEnd(-tensor.limit)}, blue to ${scaleEnd(tensor.limit)}.`;
}

function histogram(view, stop, tensor) {
  const { width, fs } = figureSize(view);
  const height = width * 0.27 + fs;
  const base = height - fs * 1.35;
  const most = Math.max(...tensor.counts);
  const bar = width / tensor.counts.length;
  const role = ["attn", "ff", "norm"].includes(stop.role) ? stop.role : "act";
  const svg = drawing(width, height, `Histogram of ${grouped(tensor.n)} values: mean ${decimal(tensor.mean)}, standard deviation ${decimal(tensor.std)}, from ${decimal(tensor.low)} to ${decimal(tensor.high)}`);
  tensor.counts.forEach((n, i) => {
    const h = n ? Math.max(0.6, ((base - 4) * n) / most) : 0;
    svg.append(svgTag("rect", { x: i * bar + 0.5, y: base - h, width: bar - 1, height: h, style: `fill:${hue(role)}` }));
  });
  svg.append(svgTag("path", { d: `M0 ${base + 0.5}H${width}`, style: "stroke:var(--gx-line)" }));
  svg.append(label(0, height - fs * 0.5, scaleEnd(-tensor.reach), "", fs), label(width / 2, height - fs * 0.5, "0", "mid", fs), label(width, height - fs * 0.5, scaleEnd(tensor.reach), "end", fs));
  const which = stop.id === "qkv" || stop.id === "split" ? "q" : "the output";
  return htmlTag("figure", {}, svg, htmlTag("figcaption", {}, `All ${grouped(tensor.n)} values of ${which}.${stripInWords(view, tensor)}`));
}

/* One head's matrix: rows ask, columns answer. */
function headMatrix(view, kind) {
  const { side, n } = view.live.heads;
  const { groups } = view.live;
  const { width, fs } = figureSize(view);
  const head = Math.min(view.head, n - 1);
  const names = groups.map((name) => shortText(name, 9));
  const left = Math.min(width * 0.34, Math.max(...names.map((name) => textWidth(name, `400 ${fs}px ${CODE}`))) + 8);
  const cell = (width - left) / side;
  const tall = Math.min(cell, fs * 2.6);
  const withText = side <= 6;
  const named = withText || view.data.axes.T <= side;
  const top = named ? fs * 1.6 : 4;
  const svg = drawing(width, top + side * tall, `Head ${head}: ${kind} of ${side} by ${side} positions or groups`);
  names.forEach((name, i) => {
    svg.append(label(left - 6, top + (i + 0.5) * tall, name, "end code", fs));
    const above = withText ? shortText(name, Math.max(2, Math.floor(cell / (fs * 0.62)))) : String(i);
    if (named) svg.append(label(left + (i + 0.5) * cell, fs * 0.75, above, "mid code", fs * (withText ? 1 : 0.85)));
  });
  for (let row = 0; row < side; row++) {
    for (let column = 0; column < side; column++) {
      const value = view.maps[kind][(head * side + row) * side + column];
      const hidden = (kind === "masked" && Number.isNaN(value)) || (kind === "weights" && column > row);
      const colour = hidden ? null : kind === "weights" ? along(view.ramps.prob, value) : along(view.ramps.div, (value / view.live.limits.scores + 1) / 2);
      svg.append(svgTag("rect", { x: left + column * cell + 0.5, y: top + row * tall + 0.5, width: cell - 1, height: tall - 1, rx: 2, style: `fill:${hidden ? "url(#hatch)" : rgb(colour)}` }));
      if (!withText) continue;
      const ink = hidden ? "fill:var(--gx-text);paint-order:stroke;stroke:var(--gx-panel);stroke-width:5px" : `fill:${inkOn(colour)}`;
      svg.append(label(left + (column + 0.5) * cell, top + (row + 0.5) * tall, hidden ? (kind === "weights" ? "0" : "−∞") : value.toFixed(2).replace("-", "−"), "mid", fs, ink));
    }
  }
  return htmlTag("figure", {}, headChooser(view, head), svg, htmlTag("figcaption", {}, matrixInWords(view, kind)));
}

function headChooser(view, head) {
  const row = htmlTag("div", { class: "chooser" });
  const button = (name, sign, by) => {
    const element = htmlTag("button", { type: "button", "aria-label": name }, sign);
    element.onclick = () => {
      chooseHead(view, view.head + by);
      view.root.querySelector(`.chooser [aria-label="${name}"]`)?.focus();
    };
    return element;
  };
  row.append(htmlTag("b", {}, `Head ${head} of ${view.data.axes.H}`));
  if (view.marks.heads.length > 1) row.append(button("Previous head", "‹", -1), button("Next head", "›", 1));
  return row;
}

function matrixInWords(view, kind) {
  const { T } = view.data.axes;
  const pooled = T > view.live.heads.side;
  const end = scaleEnd(view.live.limits.scores);
  if (kind === "weights") {
    return `Rows ask, columns answer; every row sums to 1. Violet from 0 to 1${pooled ? "; a cell is the weight on a group of tokens, the mean over a group that asks" : `; an even share in the last row is 1/${grouped(T)}`}.`;
  }
  const range = `Rows ask, columns answer; orange from ${scaleEnd(-view.live.limits.scores)}, blue to ${end}`;
  return `${range}${pooled ? "; a cell is the mean over two groups of tokens" : ""}${kind === "masked" ? "; hatched is −∞" : ""}.`;
}

/* The likeliest next tokens, against the likeliest. */
function topTokens(view) {
  const { top, entropy, uniform_entropy } = view.live;
  const { width, fs } = figureSize(view);
  const row = fs * 1.6;
  const names = top.map(({ text }) => shortText(text, 12));
  const left = Math.min(width * 0.4, Math.max(...names.map((name) => textWidth(name, `400 ${fs}px ${CODE}`))) + 8);
  const percent = top.map(({ probability }) => `${decimal(100 * probability, probability > 0.01 ? 1 : 4)} %`);
  const right = Math.max(...percent.map((text) => textWidth(text, `400 ${fs}px ${SANS}`))) + 8;
  const bar = width - left - right;
  const even = 1 / view.data.axes.V;
  const svg = drawing(width, row * top.length, `The ${top.length} likeliest next tokens, from ${percent[0]}`);
  top.forEach(({ probability }, i) => {
    const y = row * (i + 0.5);
    const style = `fill:${hue("V")};opacity:${i ? 0.45 : 1}`;
    svg.append(label(left - 6, y, names[i], "end code", fs), svgTag("rect", { x: left, y: y - fs * 0.5, height: fs, width: (bar * probability) / top[0].probability, style }), label(width, y, percent[i], "end", fs));
  });
  const xEven = left + (bar * even) / top[0].probability;
  if (xEven < left + bar) svg.append(svgTag("path", { d: `M${xEven} 0V${row * top.length}`, style: "stroke:var(--gx-text);stroke-width:1.5;stroke-dasharray:3 3" }));
  return htmlTag("figure", {}, svg, htmlTag("figcaption", {}, `${top.length} of ${grouped(view.data.axes.V)}, from 0 to ${percent[0]}; the dashed line is an even share. Entropy ${decimal(entropy, 2)} of at most ${decimal(uniform_entropy, 2)} nats.`));
}

function tokenTable(view) {
  const rows = view.data.tokens.map((token) => htmlTag("tr", {}, htmlTag("td", {}, String(token.position)), htmlTag("td", {}, htmlTag("code", {}, shortText(token.text, 24))), htmlTag("td", {}, String(token.id))));
  const hidden = view.data.axes.T - rows.length;
  if (hidden > 0) rows.splice(rows.length / 2, 0, htmlTag("tr", {}, htmlTag("td", { colspan: 3, class: "muted" }, `… ${grouped(hidden)} more …`)));
  const head = htmlTag("tr", {}, ...["position", "text", "ID"].map((name) => htmlTag("th", { scope: "col" }, name)));
  return htmlTag("table", { class: "tokens" }, htmlTag("thead", {}, head), htmlTag("tbody", {}, ...rows));
}
