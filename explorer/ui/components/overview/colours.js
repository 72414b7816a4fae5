/* Colour scales, from the theme's ten steps, and the small heat maps. */
const parseRamp = (colours) => colours.map((c) => [1, 3, 5].map((i) => parseInt(c.slice(i, i + 2), 16)));

/* A colour as [r, g, b] at t, from 0 to 1 along a ramp. */
function along(ramp, t) {
  const x = Math.max(0, Math.min(1, t)) * (ramp.length - 1);
  const i = Math.min(ramp.length - 2, Math.floor(x));
  return ramp[i].map((from, c) => Math.round(from + (ramp[i + 1][c] - from) * (x - i)));
}
const rgb = (colour) => `rgb(${colour})`;

/* Black or white, whichever contrasts more. */
function inkOn(colour) {
  const linear = colour.map((c) => (c <= 10 ? c / 255 / 12.92 : ((c / 255 + 0.055) / 1.055) ** 2.4));
  const luminance = 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2];
  return luminance > 0.179 ? "#000000" : "#FFFFFF";
}

const bytes = (base64) => Uint8Array.from(atob(base64), (c) => c.charCodeAt(0));
const floats = (base64) => new Float32Array(bytes(base64).buffer);

/* A tensor's heat map as an image: a row per token or group, diverging around 0. */
function heatMap(tensor, ramp) {
  const canvas = document.createElement("canvas");
  canvas.width = tensor.columns;
  canvas.height = tensor.rows;
  const context = canvas.getContext("2d");
  const image = context.createImageData(tensor.columns, tensor.rows);
  new Int8Array(bytes(tensor.cells).buffer).forEach((step, i) => {
    image.data.set([...along(ramp, (step / 127 + 1) / 2), 255], i * 4);
  });
  context.putImageData(image, 0, 0);
  return canvas.toDataURL();
}
