/* Shows the picture that is in the page while Streamlit's scripts are still on their way. It stands in a
   block with `themes`, each theme's declarations; what draws the picture follows it. */
const place = document.getElementById("first-paint");
const chosen = localStorage.getItem("stActiveTheme-/-v2") ?? "";
const dark = /dark/i.test(chosen) || (!/light/i.test(chosen) && matchMedia("(prefers-color-scheme: dark)").matches);
const theme = dark ? "dark" : "light";
place.style.cssText = themes[theme];
document.documentElement.style.background = getComputedStyle(place).getPropertyValue("--gx-panel"); /* where the sidebar will be */

/* Whatever the app has to show instead must be seen. */
const address = location.pathname;
new MutationObserver((_, observer) => {
  if (location.pathname !== address || document.querySelector(".stException, [role=dialog]")) place.remove();
  if (!place.isConnected) observer.disconnect();
}).observe(document.body, { childList: true, subtree: true });
