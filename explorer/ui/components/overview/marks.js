/* What the picture is made of. Every mark belongs to an operation: for dimming, mouse and keyboard. */
class Marks {
  constructor(view, layout) {
    this.view = view;
    this.g = layout;
    this.groups = {}; /* operation -> the group that is its button */
    this.tracks = {}; /* operation -> points that the pulse passes */
    this.rings = {}; /* additions, whose ring swells */
    this.stretch = {}; /* strips that grow or shrink */
    this.svg = view.root.querySelector(".model");
    this.frames = svgTag("g");
    this.under = svgTag("g");
    this.stream = svgTag("g");
    this.over = svgTag("g");
    this.defs = svgTag("defs");
    this.define();
    this.svg.replaceChildren(this.defs, this.frames, this.under, this.stream, this.over);
  }

  define() {
    const hatch = svgTag("pattern", { id: "hatch", width: 5, height: 5, patternUnits: "userSpaceOnUse", patternTransform: "rotate(45)" });
    hatch.append(svgTag("rect", { width: 5, height: 5, style: "fill:var(--gx-panel)" }), svgTag("line", { x1: 0, y1: 0, x2: 0, y2: 5, style: "stroke:var(--gx-muted)", "stroke-width": 1.6 }));
    this.defs.append(hatch);
    const size = 9 * this.g.s ** 0.5;
    for (const role of ["act", "attn", "ff", "param"]) {
      const tip = svgTag("path", { d: "M0 .5 8 4 0 7.5z", style: `fill:${hue(role)}` });
      this.defs.append(svgTag("marker", { id: `tip-${role}`, viewBox: "0 0 8 8", refX: 7, refY: 4, markerWidth: size, markerHeight: size, markerUnits: "userSpaceOnUse", orient: "auto" }, tip));
    }
  }

  /* The group of an operation: a button that says what it is. */
  group(id) {
    if (!this.groups[id]) {
      const stop = this.view.stops[this.view.at[id]];
      const shape = stop.out.map((axis) => axis.join(" ")).join(", ");
      const parameters = stop.parameters ? `; ${grouped(stop.parameters)} parameters` : "";
      this.groups[id] = svgTag("g", { class: "op", "data-stop": id, role: "button", tabindex: 0, "aria-label": `${stop.title}: out ${shape}${parameters}` });
      this.over.append(this.groups[id]);
    }
    return this.groups[id];
  }

  /* A part of an operation that lies under the stream: seen and clicked, not tabbed to. */
  backdrop(id) {
    const part = svgTag("g", { class: "part", "data-stop": id, "aria-hidden": true });
    this.under.append(part);
    return part;
  }

  /* A heading that belongs to an operation, and dims with it. */
  beside(id, ...children) {
    return svgTag("g", { class: "part", "data-stop": id }, ...children);
  }

  /* Put the buttons into the order of the path, which is the order of Tab. */
  inOrder() {
    for (const stop of this.view.stops) if (this.groups[stop.id]) this.over.append(this.groups[stop.id]);
  }

  text(x, y, string, css = "", size = this.g.fs, style = "") {
    const text = svgTag("text", { x, y, class: css, "font-size": size, style });
    text.textContent = string;
    return text;
  }

  /* A shape: each axis's bold letter and its size, in the axis's hue. */
  shape(x, y, axes, css = "", size = this.g.sm) {
    const text = svgTag("text", { x, y, class: css, "font-size": size, "font-weight": 500 });
    axes.forEach(([letter, n], i) => {
      const name = svgTag("tspan", { "font-weight": 700, style: `fill:${hue(letter)}`, ...(i && { dx: size * 0.55 }) });
      name.textContent = letter;
      const number = svgTag("tspan", { style: `fill:${hue(letter)}`, dx: size * 0.13 });
      number.textContent = n;
      text.append(name, number);
    });
    return text;
  }
  /* The shape of what leaves an operation, on an edge with `room` px: without B where it is short of
     room, and left out where that doesn't help. */
  edge(id, x, y, room, css = "") {
    const axes = this.out(id);
    const shown = [axes, axes.slice(1)].find((some) => some.length && shapeWidth(some, this.g.sm) <= room);
    if (shown) this.group(id).append(this.shape(x, y, shown, css));
  }
  out(id) {
    return this.view.stops[this.view.at[id]].out;
  }

  wire(id, d, role = "act", tip = true) {
    this.group(id).append(svgTag("path", { d, class: "wire", style: `stroke:${hue(role)}`, ...(tip && { "marker-end": `url(#tip-${role})` }) }));
  }

  /* The outline that shows hover, selection and focus, and takes the click: never under 24 px. */
  halo(id, x, y, width, height, radius = 8) {
    const w = Math.max(24, width + 6);
    const h = Math.max(24, height + 6);
    this.group(id).prepend(svgTag("rect", { class: "halo", x: x + width / 2 - w / 2, y: y + height / 2 - h / 2, width: w, height: h, rx: radius }));
  }
  outline(id, points) {
    this.group(id).prepend(svgTag("polygon", { class: "halo", points: points.join(" "), "stroke-linejoin": "round" }));
  }

  /* A name over a count, or beside it where type is large. */
  named(id, x, y, width, height, label, n) {
    const { fs, sm, twoLines } = this.g;
    const [cx, cy] = [x + width / 2, y + height / 2];
    if (n == null) return this.group(id).append(this.text(cx, cy, label, "mid bold"));
    const font = `500 ${sm}px ${SANS}`;
    const beside = width - textWidth(label, `600 ${fs}px ${SANS}`) - sm * 0.45 - 10;
    const shown = typeof n === "string" ? n : count(n, twoLines ? width - 6 : beside, font);
    if (twoLines) return this.group(id).append(this.text(cx, cy - sm * 0.6, label, "mid bold"), this.text(cx, cy + sm * 0.72, shown, "mid count", sm));
    const line = this.text(cx, cy, label, "mid bold");
    const number = svgTag("tspan", { class: "count", "font-size": sm, dx: sm * 0.45 });
    number.textContent = shown;
    line.append(number);
    this.group(id).append(line);
  }

  /* An operation with a name and parameters. */
  box(id, x, y, width, height, role, label, n, opaque = false) {
    this.halo(id, x, y, width, height);
    if (opaque) this.group(id).append(svgTag("rect", { x, y, width, height, rx: 6, style: "fill:var(--gx-page)" }));
    this.group(id).append(svgTag("rect", { x, y, width, height, rx: 6, style: `fill:var(--gx-wash-${role})` }));
    this.named(id, x, y, width, height, label, n);
  }

  /* A tensor: its heat map, or an empty frame until its values are there. */
  strip(id, name, x, y, width, height = this.g.strip) {
    const href = this.view.heatMap(name);
    const group = svgTag("g", { class: "strip", "data-tensor": name });
    group.append(svgTag("rect", { x, y, width, height, style: "fill:var(--gx-page);stroke:var(--gx-line)" }));
    if (href) group.append(svgTag("image", { x, y, width, height, preserveAspectRatio: "none", href, style: "image-rendering:pixelated" }));
    this.group(id).append(group);
    return group;
  }

  /* An addition to the stream. */
  plus(id, y, role) {
    const { xLine, plus, wire } = this.g;
    this.halo(id, xLine - plus, y - plus, 2 * plus, 2 * plus, 99);
    const ring = svgTag("circle", { cx: xLine, cy: y, r: plus, style: `fill:var(--gx-page);stroke:${hue(role)};stroke-width:${wire + 0.5}` });
    const cross = svgTag("path", { d: `M${xLine - plus * 0.5} ${y}h${plus}M${xLine} ${y - plus * 0.5}v${plus}`, style: `stroke:var(--gx-text);stroke-width:${wire}` });
    this.group(id).append(ring, cross);
    this.rings[id] = ring;
  }

  /* Dropout: there, but off. */
  pill(id, x, y, width, labelX, css) {
    const { pill, sm } = this.g;
    this.halo(id, x, y, width, pill, pill);
    this.group(id).append(
      svgTag("rect", { x, y, width, height: pill, rx: pill / 2, style: "fill:var(--gx-page);stroke:var(--gx-muted);stroke-dasharray:3 3" }),
      this.text(labelX, y + pill / 2, "dropout, off", `muted ${css}`, sm),
    );
  }

  /* A look at the stream, left of it: name, spread, heat map, shape. */
  look(id, name, yMid, withShape = true) {
    const { D, xLine, strip, sm, phone } = this.g;
    const y = yMid - strip / 2;
    const values = this.view.tensor(name);
    this.strip(id, name, 0, y, D);
    if (!phone) this.group(id).append(this.text(0, y - sm * 1.9, name, "code muted", sm));
    if (values) this.group(id).append(this.text(0, y - sm * 0.75, `std ${decimal(values.std, phone ? 2 : 3)}`, "", sm));
    this.group(id).append(svgTag("path", { d: `M${D + 3} ${yMid}H${xLine}`, class: "wire", style: "stroke:var(--gx-act);stroke-width:1" }));
    if (!withShape) return;
    const axes = this.out("add_emb");
    const below = y + strip + sm * 0.85;
    const lines = shapeWidth(axes, sm) <= D + 8 ? [axes] : shapeWidth(axes.slice(1), sm) <= D + 8 ? [axes.slice(1)] : [[axes[1]], [axes[2]]];
    lines.forEach((line, i) => this.group(id).append(this.shape(0, below + i * sm * 1.15, line)));
  }

  track(id, ...points) {
    this.tracks[id] = points;
  }
}
