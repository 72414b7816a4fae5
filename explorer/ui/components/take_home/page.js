/* The page as one file: what is seen of it, in its order, without what can be operated. */
const TAKEN = [".stHtml", ".stepper", "[data-testid=stHeading]", ".chart", "[data-testid=stMarkdown]", "[data-testid=stText]", "[data-testid=stCode]", "details[open] > summary", "[class*=st-key-csv-]", ".st-key-overview_picture"];
const LEFT = ".st-key-take-home, .st-key-lesson-bar";
const UNSAFE = "script, style, iframe, object, embed, link, meta, base, form, input, select, button, .link-part, .spoken, .transport";

function tag(name, attributes = {}, ...children) {
  const element = document.createElement(name);
  for (const key in attributes) element.setAttribute(key, attributes[key]);
  element.append(...children.filter((child) => child != null));
  return element;
}

/* A copy that can do nothing: no scripts, no handlers, nothing to fetch. */
function inert(element) {
  const copy = element.cloneNode(true);
  for (const unsafe of copy.querySelectorAll(UNSAFE)) unsafe.remove();
  for (const each of [copy, ...copy.querySelectorAll("*")]) {
    for (const { name } of [...each.attributes]) if (/^on|^src$|^id$|^tabindex$/.test(name)) each.removeAttribute(name);
  }
  return copy;
}

function tableOf(name, tables) {
  const table = tables[name];
  if (!table) return null;
  const head = tag("tr", {}, ...table.columns.map((column) => tag("th", { scope: "col" }, column)));
  const body = table.rows.map((row) => tag("tr", {}, ...row.map((cell) => tag("td", {}, cell))));
  const more = table.more ? tag("p", { class: "caption" }, `The first ${table.rows.length.toLocaleString("en")} rows; ${table.more.toLocaleString("en")} more are in the CSV.`) : null;
  delete tables[name]; /* once a page */
  return tag("details", {}, tag("summary", {}, `Table: ${name.replaceAll("-", " ")}`), tag("div", { class: "rows" }, tag("table", {}, tag("thead", {}, head), tag("tbody", {}, ...body))), more);
}

const keyed = (element, start) => [...(element.closest(`[class*="st-key-${start}"]`)?.classList ?? [])].find((name) => name.startsWith(`st-key-${start}`))?.slice(`st-key-${start}`.length);

function taken(element, tables) {
  const kind = element.dataset.testid;
  const words = element.textContent.trim();
  if (element.querySelector("h1, .claim")) return []; /* they come first */
  if (kind === "stHeading") return [tag("h2", {}, words)];
  if (kind === "stText") return [tag("p", { class: "text" }, words)];
  if (kind === "stCode") return [tag("pre", {}, tag("code", {}, element.querySelector("code")?.textContent ?? words))];
  if (kind === "stMarkdown") return [tag("div", { class: "prose" }, ...[...inert(element.querySelector("[data-testid=stMarkdownContainer]") ?? element).childNodes])];
  if (element.matches(".chart")) {
    if (!element.querySelector(".main-svg")) return [];
    const svg = chartSvg(element);
    return [tag("figure", { style: `width:${svg.getAttribute("width")}px` }, svg, tableOf(keyed(element, "chart-"), tables))];
  }
  if (element.matches("summary")) return [tag("h3", {}, element.querySelector("[data-testid=stMarkdownContainer]")?.textContent ?? words)];
  if (element.matches(".st-key-overview_picture")) return [tag("div", { id: "overview" })];
  if (element.matches("[class*=st-key-csv-]")) return [tableOf(keyed(element, "csv-"), tables)].filter(Boolean);
  if (element.matches(".stepper")) return [tag("div", { class: "stepper" }, ...[...inert(element).childNodes])];
  return element.querySelector("style, .link-part") ? [] : [tag("div", { class: "stHtml" }, ...[...inert(element).childNodes])];
}

function gathered(tables) {
  const main = document.querySelector("[data-testid=stMainBlockContainer]");
  return [...main.querySelectorAll(TAKEN.join(","))]
    .filter((element) => !element.closest(LEFT) && !element.parentElement.closest(TAKEN.slice(0, 2).join(",")))
    .filter((element) => element.checkVisibility() && !element.closest("[inert]"))
    .flatMap((element) => taken(element, tables));
}

/* A sentence right after a chart is the chart's own. */
function captioned(elements) {
  return elements.filter((element, i) => {
    const figure = elements[i - 1];
    const caption = element.matches(".stHtml") && element.children.length === 1 && element.querySelector(":scope > .caption");
    if (!figure?.matches("figure") || !caption) return true;
    figure.insertBefore(tag("figcaption", {}, caption), figure.querySelector("details"));
    return false;
  });
}

function facts(page) {
  return tag("dl", { class: "state" }, ...page.facts.map(([name, value]) => tag("div", {}, tag("dt", {}, name), tag("dd", {}, value))));
}

/* Nothing in the file may fetch, and no script but our own may run: text stays text. */
function standalone(page, faces) {
  const nonce = [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  const file = document.implementation.createHTMLDocument(page.title);
  file.documentElement.lang = "en";
  const rule = `default-src 'none'; img-src data:; font-src data:; style-src 'unsafe-inline'; script-src 'nonce-${nonce}'; base-uri 'none'; form-action 'none'`;
  file.head.prepend(tag("meta", { charset: "utf-8" }), tag("meta", { "http-equiv": "Content-Security-Policy", content: rule }), tag("meta", { name: "viewport", content: "width=device-width" }));
  file.head.append(tag("style", {}, faces + page.css));
  const tables = { ...page.tables };
  const body = captioned(gathered(tables));
  const rest = page.always.map((name) => tableOf(name, tables)).filter(Boolean);
  file.body.append(tag("main", {}, tag("h1", {}, page.title), tag("p", { class: "claim" }, page.claim), facts(page), ...body, ...rest));
  if (page.script) file.body.append(tag("script", { nonce }, page.script));
  return `<!doctype html>\n${file.documentElement.outerHTML}\n`;
}
