/* A chart. Plotly draws a changed figure into the same place and touches only what differs. */
const FULLSCREEN_PADDING = 64; /* px */
const charts = new WeakMap();

/* Plotly, fetched once a page; after a fetch that failed, the next figure tries again. */
function plotly() {
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

  show({ figure, alt }) {
    this.plot.setAttribute("aria-label", alt);
    if (figure === this.text) return; /* its part of the page ran again, and it is the same */
    this.text = figure;
    this.figure = JSON.parse(figure);
    this.plot.style.minHeight = `${this.figure.layout.height}px`;
    this.draw();
  }

  async draw() {
    const library = await plotly();
    const width = this.plot.clientWidth;
    if (!this.figure || !width) return; /* what is folded away is drawn when it is seen */
    this.width = width;
    const { data, layout } = this.figure; /* the newest: another may have come meanwhile */
    const height = this.enlarged() ? innerHeight - FULLSCREEN_PADDING : layout.height;
    const isNew = !this.plot.classList.contains("js-plotly-plot");
    await library.react(this.plot, data, { ...layout, width, height }, { displayModeBar: false });
    if (isNew) this.plot.on("plotly_click", ({ points: [{ x, y, customdata }] }) => this.pick({ x, y, customdata }));
  }

  end() {
    this.sizes.disconnect();
    window.Plotly?.purge(this.plot);
  }
}

export default function ({ parentElement, data, setTriggerValue }) {
  const chart = charts.get(parentElement) ?? new Chart(parentElement);
  charts.set(parentElement, chart);
  chart.pick = (mark) => data.picks && setTriggerValue("picked", mark);
  chart.show(data);
  return () => {
    chart.end();
    charts.delete(parentElement);
  };
}
