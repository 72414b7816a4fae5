/* One step of a lesson is one step of the browser's history. Streamlit changes the address of the page
   that is left before it changes the page, and writes both down: without this, Back would first show
   the new step's address over the old page. */
const SOON_MS = 3000;

const stepIn = (search) => new URLSearchParams(search).get("lesson_step");

export default function () {
  if (document.gptLessonHistory) return;
  document.gptLessonHistory = true;
  const push = history.pushState;
  let stepped = -Infinity; /* when another step's address was written over the old page */
  history.pushState = function (state, title, url) {
    const to = new URL(url, location.href);
    const samePage = to.pathname === location.pathname;
    if (!samePage && to.search === location.search && performance.now() - stepped < SOON_MS) {
      stepped = -Infinity;
      return history.replaceState(state, title, url);
    }
    if (samePage && stepIn(to.search) !== stepIn(location.search)) stepped = performance.now();
    return push.apply(this, arguments);
  };
}
