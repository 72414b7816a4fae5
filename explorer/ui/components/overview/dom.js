/* Elements. Text is only ever set as text: nothing here reads a string as HTML. */
const SVG = "http://www.w3.org/2000/svg";

function fill(element, attributes, children) {
  for (const name in attributes) element.setAttribute(name, attributes[name]);
  for (const child of children) if (child != null) element.append(child);
  return element;
}
const svgTag = (name, attributes = {}, ...children) => fill(document.createElementNS(SVG, name), attributes, children);
const htmlTag = (name, attributes = {}, ...children) => fill(document.createElement(name), attributes, children);

const pen = document.createElement("canvas").getContext("2d");
/* Width of a text in px. */
function textWidth(text, font) {
  pen.font = font;
  return pen.measureText(text).width;
}
const SANS = '"Source Sans", sans-serif';
const CODE = '"Source Code Pro", monospace';

/* The CSS variable of a hue: a role of the colour grammar, an axis letter, or the arrow between. */
const hue = (name) => (name === "→" ? "var(--gx-muted)" : name.length === 1 ? `var(--gx-axis-${name})` : `var(--gx-${name})`);

/* A token's text cut to a length that a chip or a label can hold. */
const shortText = (text, most) => ([...text].length > most ? [...text].slice(0, most - 1).join("") + "…" : text);
