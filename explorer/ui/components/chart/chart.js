/* A chart. Plotly draws a changed figure into the same place and touches only what differs. */
const FULLSCREEN_PADDING = 64; /* px */
const MARKS = ["shapes", "annotations"];
const SMALLEST = 10; /* px, of a number in a cell */
const CELL_EDGE = 1; /* px, that stay free on each side of it */
const charts = new WeakMap();
const left = new Map(); /* drawings whose charts have left the page, by name, the newest last */
const MOST_LEFT = 16;
const margins = new Map(); /* what a chart's labels needed when it was last drawn so large */

/* Plotly, fetched once a page; after a fetch that failed, the next figure tries again. */
function plotly() {
  if (window.Plotly) return Promise.resolve(window.Plotly);
  return (window.gxPlotly ??= new Promise((resolve, reject) => {
    const script = document.createElement("script");
    script.src = new URL(LIBRARY, document.baseURI);
    script.onload = () => resolve(window.Plotly);
    script.onerror = () => {
      window.gxPlotly = undefined;
      reject(new Error("plotly could not be fetched"));
    };
    document.head.append(script);
  }));
}

class Chart {
  constructor(parent) {
    this.frame = parent.querySelector(".chart-frame");
    this.plot = parent.querySelector(".chart");
    const button = parent.querySelector(".enlarge");
    button.onclick = () => (this.enlarged() ? document.exitFullscreen() : this.frame.requestFullscreen());
    this.frame.onfullscreenchange = () => this.draw();
    this.sizes = new ResizeObserver(() => this.plot.clientWidth !== this.width && this.draw());
    this.sizes.observe(this.plot);
  }

  enlarged() {
    return document.fullscreenElement === this.frame;
  }

  show({ name, figure, alt }) {
    if (!this.name) this.takeUp(name);
    this.plot.setAttribute("aria-label", alt);
    this.name = name;
    if (figure === this.text) return; /* its part of the page ran again, and it is the same */
    this.text = figure;
    this.plot.style.minHeight = `${JSON.parse(figure).layout.height}px`;
    this.draw();
  }

  /* Go on with the drawing that was here before another view took its place: a new one takes plotly
     five times as long as a changed one, and one that is the same takes nothing. */
  takeUp(name) {
    const before = left.get(name);
    if (!left.delete(name)) return;
    this.sizes.unobserve(this.plot);
    this.plot.replaceWith(before.plot);
    Object.assign(this, before);
    this.sizes.observe(this.plot);
    this.listen();
  }

  listen() {
    this.plot.removeAllListeners("plotly_click");
    this.plot.on("plotly_click", ({ points: [{ x, y, customdata }] }) => this.pick({ x, y, customdata }));
  }

  async draw() {
    const library = await plotly();
    const width = this.plot.clientWidth;
    if (!this.text || !width) return; /* what is folded away is drawn when it is seen */
    this.width = width;
    const { data, layout } = JSON.parse(this.text); /* the newest; plotly writes into what it is given */
    layout.width = width;
    if (this.enlarged()) layout.height = innerHeight - FULLSCREEN_PADDING;
    const isNew = !this.drawn;
    const said = { data: JSON.stringify(data), layout: JSON.stringify(layout) };
    const marks = this.changedMarks(said);
    this.drawn = said;
    const like = [this.name, width, layout.font.size].join();
    const margin = (isNew && margins.get(like)) || layout.margin; /* without, plotly draws it twice */
    if (marks) await library.relayout(this.plot, marks);
    else await library.react(this.plot, data, { ...layout, margin }, { displayModeBar: false });
    if (!this.plot._fullLayout) return; /* it has left the page meanwhile */
    this.fitNumbers();
    const { l, r, t, b } = this.plot._fullLayout._size;
    margins.set(like, { l, r, t, b });
    const first = document.getElementById("first-paint");
    if (!first?.contains(this.plot)) first?.remove();
    if (isNew) this.listen();
  }

  /* Numbers in the cells of a heat map get as small as its narrowest column needs; where they would be
     too small to read, there are none, and a cell tells its own when it is pointed at. */
  fitNumbers() {
    const { xaxis, yaxis, annotations } = this.plot._fullLayout;
    const numbers = annotations.filter(({ name }) => name === "cell");
    if (!numbers.length) return;
    const [width, height] = [xaxis, yaxis].map((axis) => Math.abs(axis.l2p(1) - axis.l2p(0)) - 2 * CELL_EDGE);
    const marks = numbers.map(({ _index }) => this.plot.querySelector(`.annotation[data-index="${_index}"]`));
    const texts = marks.map((mark) => mark.querySelector("text"));
    const size = numbers[0].font.size;
    for (const text of texts) text.style.fontSize = `${size}px`;
    const wide = Math.max(...texts.map((text) => text.getComputedTextLength()));
    const fitting = Math.min(size, (size * width) / wide, height);
    for (const text of texts) text.style.fontSize = `${Math.max(fitting, SMALLEST)}px`;
    for (const mark of marks) mark.style.visibility = fitting < SMALLEST ? "hidden" : "";
  }

  /* The marks that have changed if nothing else has: a frame around what is picked takes no time. */
  changedMarks(said) {
    if (this.drawn?.data !== said.data) return null;
    const [before, layout] = [this.drawn, said].map((one) => JSON.parse(one.layout));
    const changed = Object.keys({ ...before, ...layout }).filter((name) => JSON.stringify(layout[name]) !== JSON.stringify(before[name]));
    return changed.every((name) => MARKS.includes(name)) ? Object.fromEntries(changed.map((name) => [name, layout[name]])) : null;
  }

  end() {
    this.sizes.disconnect();
    if (!this.plot._fullLayout) return;
    const { plot, text, drawn, width } = this;
    left.set(this.name, { plot, text, drawn, width });
    if (left.size <= MOST_LEFT) return;
    const [[oldest, { plot: gone }]] = left;
    left.delete(oldest);
    window.Plotly.purge(gone);
  }
}

export default function mount({ parentElement, data, setTriggerValue }) {
  const chart = charts.get(parentElement) ?? new Chart(parentElement);
  charts.set(parentElement, chart);
  chart.pick = (mark) => data.picks && setTriggerValue("picked", mark);
  chart.show(data);
  return () => {
    chart.end();
    charts.delete(parentElement);
  };
}
