/* P hides sidebar, header and menus and brings them back; style.css says what that means. The state
   is a class of the document, so that it outlives reruns and changes of page. */
const TYPING = "input, textarea, select, [contenteditable], [role=combobox], [role=listbox], [role=dialog]";

function toggle(event) {
  const plain = !event.ctrlKey && !event.metaKey && !event.altKey && !event.repeat;
  const typing = event.composedPath().some((at) => at.matches?.(TYPING));
  if (event.key.toLowerCase() !== "p" || !plain || typing) return;
  document.documentElement.classList.toggle("presenter");
}

export default function () {
  if (document.gptPresenter) return;
  document.gptPresenter = true;
  document.addEventListener("keydown", toggle);
}
