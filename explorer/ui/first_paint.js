/* Draws the picture into the page while Streamlit's scripts are still on their way. It stands in a
   block with `mount`, `html`, `css`, `host`, `isolated`, `data` and `themes`. */
const place = document.getElementById("first-paint");
const chosen = localStorage.getItem("stActiveTheme-/-v2") ?? "";
const dark = /dark/i.test(chosen) || (!/light/i.test(chosen) && matchMedia("(prefers-color-scheme: dark)").matches);
const theme = themes[dark ? "dark" : "light"];
place.style.cssText = theme.css;
document.documentElement.style.background = getComputedStyle(place).getPropertyValue("--gx-panel"); /* where the sidebar will be */

const parentElement = isolated ? host.attachShadow({ mode: "open" }) : host;
const style = document.createElement("style");
style.textContent = css;
parentElement.innerHTML = html;
parentElement.prepend(style);
mount({ parentElement, data: { ...data, ...theme.data } });

/* Whatever the app has to show instead must be seen. */
const address = location.pathname;
new MutationObserver((_, observer) => {
  if (location.pathname !== address || document.querySelector(".stException, [role=dialog]")) place.remove();
  if (!place.isConnected) observer.disconnect();
}).observe(document.body, { childList: true, subtree: true });
