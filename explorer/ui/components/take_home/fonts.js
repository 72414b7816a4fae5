/* The page's fonts as text that a file can carry. */
let carried = null;

async function asFace([family, path]) {
  const answer = await fetch(new URL(path, document.baseURI));
  const bytes = new Uint8Array(await answer.arrayBuffer());
  const base64 = await new Promise((resolve) => {
    const reader = new FileReader();
    reader.onload = () => resolve(reader.result);
    reader.readAsDataURL(new Blob([bytes], { type: "font/woff2" }));
  });
  return `@font-face{font-family:"${family}";font-weight:200 900;src:url("${base64}") format("woff2")}`;
}

const fontFaces = (fonts) => (carried ??= Promise.all(fonts.map(asFace)).then((faces) => faces.join("")));
