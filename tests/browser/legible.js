/* What can't be read from the back of a room: returns a sentence for each piece of visible text that
   is too small, too faint, or cut off. Limits come as arguments. */
({ text, chart, line, contrast }) => {
  const found = [];
  const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const rgba = (colour) => {
    canvas.clearRect(0, 0, 1, 1);
    canvas.fillStyle = colour;
    canvas.fillRect(0, 0, 1, 1);
    const [r, g, b, a] = canvas.getImageData(0, 0, 1, 1).data;
    return [r, g, b, a / 255];
  };
  const over = (top, under) => [0, 1, 2].map((i) => top[i] * top[3] + under[i] * (1 - top[3])).concat(1);
  const luminance = (c) => {
    const [r, g, b] = c.slice(0, 3).map((x) => x / 255).map((x) => (x <= 0.04045 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const ratio = (a, b) => {
    const [low, high] = [luminance(a), luminance(b)].sort((x, y) => x - y);
    return (high + 0.05) / (low + 0.05);
  };
  const parent = (e) => e.parentElement ?? e.getRootNode().host;
  const html = (e) => !(e instanceof SVGElement);
  const ground = (e) => {
    const layers = [];
    for (let at = e; at; at = parent(at)) {
      const colour = html(at) || at.tagName === "svg" ? rgba(getComputedStyle(at).backgroundColor) : [0, 0, 0, 0];
      if (colour[3] > 0) layers.push(colour);
      if (colour[3] === 1) break;
    }
    return layers.reverse().reduce((under, top) => over(top, under), [255, 255, 255, 1]);
  };
  const opacity = (e) => {
    let all = 1;
    for (let at = e; at; at = parent(at)) all *= Number(getComputedStyle(at).opacity);
    return all;
  };
  /* What lies under an SVG text: the last filled shape drawn before it that covers its middle. */
  const groundOfSvg = (e) => {
    const box = e.getBoundingClientRect();
    const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
    let under = ground(e.closest("svg"));
    /* A heat map is an image, and its numbers are made legible by `cell_numbers`, which has its test. */
    for (const image of e.closest(".js-plotly-plot")?.querySelectorAll("image") ?? []) {
      const at = image.getBoundingClientRect();
      if (x >= at.x && x <= at.right && y >= at.y && y <= at.bottom) return null;
    }
    for (const shape of (e.closest(".js-plotly-plot") ?? e.ownerSVGElement).querySelectorAll("rect, path")) {
      if (!(shape.compareDocumentPosition(e) & Node.DOCUMENT_POSITION_FOLLOWING)) continue;
      const at = shape.getBoundingClientRect();
      if (x < at.x || x > at.right || y < at.y || y > at.bottom) continue;
      const style = getComputedStyle(shape);
      if (style.fill === "none" || style.visibility === "hidden" || !style.fill.startsWith("rgb")) continue;
      const point = new DOMPoint(x, y).matrixTransform(shape.getScreenCTM().inverse());
      if (!shape.isPointInFill(point)) continue;
      const colour = rgba(style.fill);
      colour[3] *= Number(style.fillOpacity) * opacity(shape);
      under = over(colour, under);
    }
    return under;
  };
  const seen = (e) => e.checkVisibility({ checkOpacity: true, checkVisibilityCSS: true }) && !e.closest("[aria-hidden=true] .material, [disabled], [aria-disabled=true], .sr-only");
  const where = (e) => (e.closest("[class*=st-key-], [data-testid]")?.dataset.testid ?? "") + " " + e.tagName.toLowerCase() + "." + (e.getAttribute("class") ?? "").slice(0, 30);
  const roots = [document];
  for (const e of document.querySelectorAll("*")) if (e.shadowRoot) roots.push(e.shadowRoot);
  for (const root of roots) {
    if (root !== document && root.host.closest("[data-testid=stSidebar]")) continue; // out of sight, like all of it
    const within = root === document ? document.querySelector("[data-testid=stMain]") : root;
    const walker = document.createTreeWalker(within, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
      const words = walker.currentNode.textContent.trim();
      const e = walker.currentNode.parentElement;
      if (!words || !e || ["STYLE", "SCRIPT", "TITLE", "OPTION"].includes(e.tagName) || !seen(e)) continue;
      const style = getComputedStyle(e);
      if (style.fontFamily.includes("Material")) continue;
      const range = document.createRange();
      range.selectNodeContents(walker.currentNode);
      const box = range.getBoundingClientRect();
      if (box.width < 2 || box.height < 2) continue;
      const svg = !html(e);
      const matrix = svg ? e.getScreenCTM() : null;
      const size = parseFloat(style.fontSize) * (matrix ? Math.hypot(matrix.b, matrix.d) : 1);
      const least = e.closest(".js-plotly-plot") ? chart : text;
      const say = (what) => found.push(`${what}: “${words.slice(0, 40)}” (${where(e)})`);
      if (size < least - 0.05) say(`${size.toFixed(1)} px`);
      /* A slider's value is inside its thumb and stands above it. */
      const under = svg ? groundOfSvg(e) : ground(e.closest("[data-testid=stSlider]") ?? e);
      const ink = rgba(svg ? style.fill : style.color);
      ink[3] *= opacity(e) * (svg ? Number(style.fillOpacity) : 1);
      const between = !under ? Infinity : ratio(over(ink, under), under);
      if (between < contrast - 0.02) say(`contrast ${between.toFixed(2)}`);
      let scrolled = false;
      for (let at = e; at; at = parent(at)) {
        const s = getComputedStyle(at);
        if (!html(at)) continue;
        if (/auto|scroll/.test(s.overflowX)) scrolled = at.getAttribute("tabindex") !== null || at.closest("pre, [data-testid=stCode]") || scrolled;
        if (s.overflowX === "hidden" || s.overflowX === "clip") {
          const outer = at.getBoundingClientRect();
          if (!scrolled && (box.right > outer.right + 2 || box.left < outer.left - 2)) { say("cut sideways"); break; }
          if (!scrolled && at.clientHeight && s.overflowY !== "auto" && s.overflowY !== "scroll" && box.bottom > outer.bottom + 4 && at.clientHeight < 300) { say("cut below"); break; }
        }
      }
      if (!scrolled && (box.right > innerWidth + 1 || box.left < -1)) say("outside the window");
    }
  }
  for (const field of document.querySelectorAll("[data-testid=stMain] input"))
    if (seen(field) && field.scrollWidth > field.clientWidth) found.push(`cut sideways: “${field.value}” (a field)`);
  for (const path of document.querySelectorAll(".js-plotly-plot .scatterlayer .js-line")) {
    const width = parseFloat(getComputedStyle(path).strokeWidth);
    if (width > 0 && width < line) found.push(`line ${width} px (${path.closest("[class*=st-key-]")?.className.match(/st-key-\S+/)?.[0]})`);
  }
  return found;
}
