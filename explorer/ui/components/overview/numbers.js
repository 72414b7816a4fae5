/* Numbers as a person reads them: grouped, with a true minus. */
const grouped = (n) => n.toLocaleString("en-US");
const trueMinus = (text) => text.replaceAll("-", "−");

function decimal(x, digits = 3) {
  if (x !== 0 && Math.abs(x) < 0.5 * 10 ** -digits) {
    const [mantissa, exponent] = x.toExponential(1).split("e");
    return `${trueMinus(mantissa)} × 10${[...String(+exponent)].map((c) => "⁻0123456789".includes(c) ? "⁰¹²³⁴⁵⁶⁷⁸⁹"[c] ?? "⁻" : "⁻").join("")}`;
  }
  return trueMinus(x.toLocaleString("en-US", { minimumFractionDigits: digits, maximumFractionDigits: digits }));
}
/* The end of a scale: no more digits than it has. */
const scaleEnd = (x) => trueMinus(String(Number(x.toPrecision(2))));

/* A count, exact if it fits into `room` px, else in millions or billions. */
function count(n, room, font) {
  const exact = grouped(n);
  if (textWidth(exact, font) <= room) return exact;
  const [unit, name] = n >= 1e9 ? [1e9, "B"] : n >= 1e6 ? [1e6, "M"] : [1e3, "k"];
  const rounded = n / unit;
  return `${rounded.toFixed(rounded < 100 ? 1 : 0)} ${name}`;
}
