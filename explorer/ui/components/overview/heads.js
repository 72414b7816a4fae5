/* What the heads show depends on where the walk is: scores, masked scores, or weights. */
const IN_HEADS = ["scores", "mask", "softmax", "weighted"];

function headStage(view) {
  const id = view.stops[view.now].id;
  if (!view.live || (view.walking && view.now < view.at.scores)) return "empty";
  if (id === "scores") return "scores";
  if (id === "mask") return "masked";
  return "weights";
}

function headColour(view, stage, head, row, column) {
  const { n, side } = view.live.heads;
  const value = view.maps[stage][(head * side + row) * side + column];
  if (head >= n || (stage === "masked" && Number.isNaN(value)) || (stage === "weights" && column > row)) return "url(#hatch)";
  if (stage === "weights") return rgb(along(view.ramps.prob, value));
  return rgb(along(view.ramps.div, (value / view.live.limits.scores + 1) / 2));
}

function paintHeads(view) {
  const stage = headStage(view);
  const falls = stage === "masked" && moves(view);
  view.marks.heads.forEach(({ square, cells, ring }, head) => {
    for (const { cell, row, column } of cells) {
      cell.style.fill = stage === "empty" ? "none" : headColour(view, stage, head, row, column);
      if (falls && column > row) {
        cell.animate([{ transform: "translateY(-26px)", opacity: 0 }, { transform: "none", opacity: 1 }], { duration: 420, delay: 20 * head, fill: "backwards", easing: "ease-in" });
      }
    }
    ring.style.opacity = head === view.head ? 1 : 0;
    square.classList.toggle("chosen", head === view.head);
  });
  view.marks.headFrame.style.opacity = IN_HEADS.includes(view.stops[view.now].id) ? 1 : 0;
  for (const ribbon of view.root.querySelectorAll(".ribbon")) ribbon.style.opacity = +ribbon.dataset.head === view.head ? 0.42 : 0.07;
}

/* Look at one head; its matrix is in the inspector. */
function chooseHead(view, head) {
  const n = view.marks.heads.length;
  view.head = (head + n) % n;
  if (IN_HEADS.includes(view.stops[view.now].id)) refresh(view);
  else select(view, view.at.softmax);
}
