/* Pictures of the page as SVG that needs nothing else: no style sheet, no script. */
const SVG = "http://www.w3.org/2000/svg";
const DRAWN = ["fill", "fill-opacity", "stroke", "stroke-width", "stroke-opacity", "stroke-dasharray", "stroke-dashoffset", "stroke-linecap", "stroke-linejoin", "opacity", "display", "visibility", "font-family", "font-size", "font-weight", "letter-spacing", "text-anchor", "dominant-baseline", "white-space", "image-rendering"];
const PAD = 14; /* px around a picture */
const CODE_POINTS = /[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu; /* what XML can't hold */

const variable = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

function svgTag(name, attributes = {}) {
  const element = document.createElementNS(SVG, name);
  for (const key in attributes) element.setAttribute(key, attributes[key]);
  return element;
}

/* An empty picture on the page's own ground, which says what it shows. */
function blank(width, height, words) {
  const svg = svgTag("svg", { xmlns: SVG, width: Math.ceil(width), height: Math.ceil(height), viewBox: `0 0 ${Math.ceil(width)} ${Math.ceil(height)}`, role: "img" });
  const title = svgTag("title");
  title.textContent = words;
  svg.append(title, svgTag("rect", { width: "100%", height: "100%", fill: variable("--gx-page") }));
  return svg;
}

/* A chart: plotly draws it as layers of SVG, one over the other. */
function chartSvg(plot) {
  const layers = [...plot.querySelectorAll(".main-svg")];
  const svg = blank(layers[0].getAttribute("width"), layers[0].getAttribute("height"), plot.getAttribute("aria-label"));
  for (const layer of layers) for (const child of layer.children) svg.append(child.cloneNode(true));
  for (const unseen of svg.querySelectorAll(".draglayer, .zoomlayer, .hoverlayer")) unseen.remove();
  return svg;
}

/* An SVG that a style sheet draws, with its styles written into it. */
function styledSvg(source, words) {
  const drawn = source.getBBox();
  const { width, height } = source.viewBox.baseVal;
  const svg = blank(drawn.width + 2 * PAD, drawn.height + 2 * PAD, words);
  const copy = source.cloneNode(true);
  const originals = [source, ...source.querySelectorAll("*")];
  [copy, ...copy.querySelectorAll("*")].forEach((element, i) => {
    const style = getComputedStyle(originals[i]);
    const text = DRAWN.map((name) => `${name}:${style.getPropertyValue(name)}`).join(";");
    element.removeAttribute("class");
    element.setAttribute("style", text);
  });
  for (const [name, value] of Object.entries({ x: PAD - drawn.x, y: PAD - drawn.y, width, height, role: "presentation" })) copy.setAttribute(name, value);
  copy.style.overflow = "visible";
  svg.append(copy);
  return svg;
}

/* Whatever a part of the page looks like: its boxes as rectangles, its lines of text as text. */
function boxesSvg(parts, words) {
  const rects = parts.flatMap((part) => [part, ...part.querySelectorAll("*")]).map((e) => e.getBoundingClientRect()).filter((r) => r.width && r.height);
  const [left, top] = [Math.min(...rects.map((r) => r.left)), Math.min(...rects.map((r) => r.top))];
  const svg = blank(Math.max(...rects.map((r) => r.right)) - left + 2 * PAD, Math.max(...rects.map((r) => r.bottom)) - top + 2 * PAD, words);
  const at = (rect) => ({ x: rect.left - left + PAD, y: rect.top - top + PAD, width: rect.width, height: rect.height });
  for (const part of parts) {
    const walker = document.createTreeWalker(part, NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_TEXT);
    for (let node = part; node; node = walker.nextNode()) {
      if (node.nodeType === Node.ELEMENT_NODE) svg.append(...box(node, at));
      else svg.append(...lines(node, at));
    }
  }
  return svg;
}

const seen = (colour) => colour !== "transparent" && !/, 0\)$/.test(colour);

function box(element, at) {
  const [style, rect] = [getComputedStyle(element), element.getBoundingClientRect()];
  if (!rect.height || style.visibility === "hidden") return [];
  const place = at(rect);
  const drawn = [];
  const shade = style.backgroundImage;
  if (rect.width && shade.startsWith("repeating")) drawn.push(dashes(place, shade));
  else if (rect.width && shade.startsWith("linear")) drawn.push(...stripes(place, shade));
  else if (rect.width && seen(style.backgroundColor)) drawn.push(svgTag("rect", { ...place, rx: parseFloat(style.borderRadius) || 0, fill: style.backgroundColor }));
  if (style.outlineStyle === "solid" && rect.width) drawn.push(svgTag("rect", { ...place, rx: parseFloat(style.borderRadius) || 0, fill: "none", stroke: style.outlineColor, "stroke-width": style.outlineWidth }));
  const edge = parseFloat(style.borderLeftWidth);
  if (edge && seen(style.borderLeftColor)) drawn.push(svgTag("line", { x1: place.x + edge / 2, x2: place.x + edge / 2, y1: place.y, y2: place.y + place.height, stroke: style.borderLeftColor, "stroke-width": edge, ...(style.borderLeftStyle === "dotted" ? { "stroke-dasharray": `${edge} ${edge}` } : {}) }));
  return drawn;
}

const COLOUR = /(?:rgba?|color|oklab)\([^)]*\)/;

/* A gradient of one colour and nothing in turn, from left to right. */
function dashes({ x, y, width, height }, shade) {
  const [on, off] = [...shade.matchAll(/([\d.]+)px/g)].map(([, px]) => +px).filter((px) => px);
  return svgTag("line", { x1: x, x2: x + width, y1: y + height / 2, y2: y + height / 2, stroke: shade.match(COLOUR)[0], "stroke-width": height, "stroke-dasharray": `${on} ${Math.max(1, (off ?? 2 * on) - on) || on}` });
}

/* A gradient from left to right, stop by stop. */
function stripes(place, shade) {
  const id = `stripes-${Math.round(place.x)}-${Math.round(place.y)}`;
  const gradient = svgTag("linearGradient", { id });
  for (const [, colour, offsets] of shade.matchAll(new RegExp(`(${COLOUR.source})((?:\\s+[\\d.]+%)*)`, "g"))) {
    for (const offset of offsets.trim().split(/\s+/)) gradient.append(svgTag("stop", { offset, "stop-color": colour }));
  }
  return [gradient, svgTag("rect", { ...place, fill: `url(#${id})` })];
}

/* The lines that a text is broken into: words that stand at one height. */
function lines(node, at) {
  const range = document.createRange();
  const found = [];
  for (const word of node.data.matchAll(/\S+/g)) {
    range.setStart(node, word.index);
    range.setEnd(node, word.index + word[0].length);
    const rect = range.getBoundingClientRect();
    const last = found.at(-1);
    if (!rect.width) continue;
    if (last && Math.abs(last.rect.top - rect.top) < 2) last.text = node.data.slice(last.from, word.index + word[0].length);
    else found.push({ rect, from: word.index, text: word[0] });
  }
  const style = getComputedStyle(node.parentElement);
  return found.map(({ rect, text }) => {
    const { x, y, height } = at(rect);
    const drawn = svgTag("text", { x, y: y + height / 2, fill: style.color, "font-family": style.fontFamily, "font-size": style.fontSize, "font-weight": style.fontWeight, "dominant-baseline": "central", ...(style.textDecorationLine === "line-through" ? { "text-decoration": "line-through" } : {}) });
    drawn.textContent = text;
    return drawn;
  });
}

const svgText = (svg) => new XMLSerializer().serializeToString(svg).replace(CODE_POINTS, "\uFFFD");

/* A picture in points, at twice the size on screen. */
async function pngOf(svg, faces) {
  const style = svgTag("style");
  style.textContent = faces;
  svg.prepend(style);
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svgText(svg))}`;
  await image.decode();
  const canvas = document.createElement("canvas");
  canvas.width = 2 * svg.getAttribute("width");
  canvas.height = 2 * svg.getAttribute("height");
  canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
  return new Promise((resolve) => canvas.toBlob(resolve, "image/png"));
}
