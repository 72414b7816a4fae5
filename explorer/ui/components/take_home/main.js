/* What can be taken home of this page: each picture and table, and the whole page as one file. */
const waiting = new Map(); /* what to do with an answer, by the number of the question */
const said = new WeakMap();

function download(content, name, type) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(content instanceof Blob ? content : new Blob([content], { type }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

/* The pictures that are seen now: a name, and how to draw it. */
function pictures() {
  const main = document.querySelector("[data-testid=stMainBlockContainer]");
  const there = (element) => element.checkVisibility() && !element.closest("[inert]");
  const found = [...main.querySelectorAll(".chart")].filter((e) => there(e) && e.querySelector(".main-svg")).map((element) => ({
    name: keyed(element, "chart-"),
    draw: () => chartSvg(element),
  }));
  const host = [...main.querySelectorAll(".st-key-overview_picture *")].find((e) => e.shadowRoot?.querySelector(".model"));
  const model = host?.shadowRoot.querySelector(".model");
  if (model) found.unshift({ name: "overview", draw: () => styledSvg(model, model.getAttribute("aria-label")) });
  const stepper = main.querySelector(".stepper");
  if (stepper) found.unshift({ name: "step", draw: () => boxesSvg([".chips", ".picture"].map((part) => stepper.querySelector(part)), stepper.querySelector(".notice").textContent) });
  return found;
}

function button(text, name, act) {
  const made = tag("button", { type: "button", "aria-label": `${name} as ${text}` }, text);
  made.onclick = act;
  return made;
}

/* The page's fragments leave its part of the link in the document; the newest is true. */
const newestQuery = () =>
  [...document.querySelectorAll(".link-part")].sort((a, b) => b.dataset.version - a.dataset.version)[0]?.dataset.query;

export default function ({ parentElement, data, setTriggerValue }) {
  const status = parentElement.querySelector(".said");
  const ask = (what, then) => {
    const number = Date.now();
    waiting.set(number, then);
    setTriggerValue("asked", { number, what });
  };
  const tell = (text) => (status.textContent = text);
  const named = (name) => `${data.page}-${name}`;
  const list = pictures();
  const names = [...new Set([...list.map(({ name }) => name), ...data.tables.filter((name) => document.querySelector(`.st-key-csv-${CSS.escape(name)}`)?.checkVisibility())])];
  parentElement.querySelector(".list").replaceChildren(...names.map((name) => {
    const drawn = list.find((one) => one.name === name);
    const row = tag("li", {}, tag("span", { class: "name" }, name.replaceAll("-", " ")));
    if (drawn) {
      row.append(button("SVG", name, () => download(svgText(drawn.draw()), `${named(name)}.svg`, "image/svg+xml")));
      row.append(button("PNG", name, async () => download(await pngOf(drawn.draw(), await fontFaces(data.fonts)), `${named(name)}.png`)));
    }
    if (data.tables.includes(name)) row.append(button("CSV", name, () => ask(name, (answer) => download(answer.csv, `${named(name)}.csv`, "text/csv"))));
    return row;
  }));
  parentElement.querySelector(".page").onclick = () => {
    tell("Gathering the page …");
    ask("", async (answer) => {
      const text = standalone(answer, await fontFaces(data.fonts));
      download(text, `${data.page}.html`, "text/html");
      tell(`${data.page}.html, ${(new Blob([text]).size / 2 ** 20).toFixed(2)} MiB: opens in any browser, offline.`);
    });
  };
  if (data.answer && waiting.has(data.answer.number)) {
    const then = waiting.get(data.answer.number);
    waiting.delete(data.answer.number);
    then(data.answer);
  }
  /* What is shown here has to follow the page, whose parts run without this one. */
  said.get(parentElement)?.disconnect();
  const observer = new MutationObserver(() => {
    const query = newestQuery();
    if (!parentElement.isConnected) observer.disconnect();
    else if (query !== undefined && query !== data.query) {
      observer.disconnect();
      setTriggerValue("stale", query);
    }
  });
  observer.observe(document.querySelector("[data-testid=stMain]"), { childList: true, subtree: true, attributes: true, attributeFilter: ["data-query"] });
  said.set(parentElement, observer);
  return () => observer.disconnect();
}
