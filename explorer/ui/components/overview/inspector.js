/* Beside the picture: what the selected operation does, its shapes, numbers, histogram and code. */
function shapeLine(name, axes) {
  const line = htmlTag("div", { class: "row" }, htmlTag("span", { class: "muted" }, name));
  if (!axes.length) line.append("text");
  for (const [letter, n] of axes) line.append(htmlTag("span", { class: "axis", style: `color:${hue(letter)}` }, htmlTag("b", {}, letter), n));
  return line;
}

function parameterLines(stop) {
  if (!stop.formula) return htmlTag("div", { class: "muted" }, "no parameters");
  if (!stop.parameters) return htmlTag("div", {}, htmlTag("b", {}, "0 parameters"), htmlTag("div", { class: "muted" }, stop.formula));
  const formula = stop.filled ? `${stop.formula} = ${stop.filled}` : stop.formula;
  return htmlTag("div", {}, htmlTag("b", {}, `${grouped(stop.parameters)} parameters`), htmlTag("div", { class: "muted" }, formula));
}

function statistics(tensor) {
  const cells = [["mean", tensor.mean], ["std", tensor.std], ["min", tensor.low], ["max", tensor.high]];
  return htmlTag("dl", { class: "statistics" }, ...cells.map(([name, value]) => htmlTag("div", {}, htmlTag("dt", {}, name), htmlTag("dd", {}, decimal(value)))));
}

function figure(view, stop) {
  if (stop.figure === "tokens") return tokenTable(view);
  if (!view.live) return htmlTag("p", { class: "muted" }, view.feed?.refused || "The values of this pass follow as soon as the model has run.");
  if (stop.figure === "top") return topTokens(view);
  if (stop.figure !== "histogram") return headMatrix(view, stop.figure);
  const tensor = view.tensor(stop.tensor);
  return tensor?.counts.length ? histogram(view, stop, tensor) : null;
}

function sourceCode(view, stop) {
  const source = view.feed?.code[stop.id];
  if (!source) return null;
  const pre = htmlTag("pre", { tabindex: 0, role: "region", "aria-label": `Source of ${source.name}` });
  source.lines.forEach((line, i) => pre.append(htmlTag("span", source.marked.includes(i) ? { class: "marked" } : {}, line + "\n")));
  return htmlTag("div", { class: "source" }, htmlTag("div", { class: "muted" }, source.name), pre);
}

function inspect(view) {
  const stop = view.stops[view.now];
  const inspector = view.root.querySelector(".inspector");
  const tensor = view.tensor(stop.tensor);
  inspector.replaceChildren(
    htmlTag("div", {}, htmlTag("div", { class: "where", style: `color:${hue(stop.role)}` }, stop.part), htmlTag("h2", {}, stop.title)),
    htmlTag("p", {}, stop.does),
    htmlTag("div", {}, shapeLine("in", stop.in), shapeLine("out", stop.out)),
    parameterLines(stop),
    ...[figure(view, stop), tensor && statistics(tensor), sourceCode(view, stop)].filter(Boolean),
  );
  inspector.scrollTop = 0;
  const pre = inspector.querySelector("pre");
  const marked = pre?.querySelector(".marked");
  if (marked) pre.scrollTop = marked.offsetTop - pre.offsetTop - pre.clientHeight / 3;
}
