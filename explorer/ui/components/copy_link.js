/* Browsers give no clipboard on plain http to another machine, which is a classroom. So the link is
   always shown as text that can be selected, and the older way of copying is tried when the new one
   is missing. */
export default function ({ parentElement, data }) {
  const button = parentElement.querySelector(".copy");
  const address = parentElement.querySelector(".address");
  const said = parentElement.querySelector(".said");
  /* Fragments of a page leave its own part of the link in the document; the newest is true. */
  const pagePart = () =>
    [...document.querySelectorAll(".link-part")]
      .sort((a, b) => b.dataset.version - a.dataset.version)
      .map((part) => part.dataset.query)[0] ?? "";
  const currentLink = () =>
    location.origin + location.pathname + "?" + [data.query, pagePart()].filter(Boolean).join("&");
  button.onclick = async () => {
    const link = currentLink();
    address.value = link;
    address.hidden = false;
    address.select();
    let copied = false;
    if (navigator.clipboard) {
      copied = await navigator.clipboard.writeText(link).then(() => true, () => false);
    }
    copied ||= document.execCommand("copy");
    said.textContent = copied ? "Copied." : "Select the link and copy it.";
  };
}
