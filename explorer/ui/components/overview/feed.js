/* Hands the values of a pass, and the code, to the picture: now, or when it is there. */
export default function ({ data }) {
  document.gptOverviewFeed = data;
  document.dispatchEvent(new Event("gpt-overview-feed"));
}
