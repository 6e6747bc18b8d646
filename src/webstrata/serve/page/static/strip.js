// The time strip: a range by dragging over the bars, and handles for `at`, or for `from` and `to`.
// Without scripts every bar is a link.
"use strict";

for (const strip of document.querySelectorAll(".strip[data-range], .strip[data-at]")) {
  const links = [...strip.querySelectorAll("a[data-date]")];
  const isRange = "range" in strip.dataset;
  const chosen = links.flatMap((link, number) => (link.classList.contains("other") ? [] : [number]));
  let [from, to] = chosen.length ? [chosen[0], chosen.at(-1)] : [0, links.length - 1];
  if (!isRange) from = to;
  let first = null;
  let moved = false;

  const place = (event) => links.indexOf(event.target.closest?.("a[data-date]"));
  const paint = () => links.forEach((link, number) => link.classList.toggle("picked", number >= from && number <= to));
  const go = () => {
    if (!isRange) return location.assign(links[to].href);
    const address = new URL(location.href);
    for (const name of ["at", "cursor"]) address.searchParams.delete(name);
    address.searchParams.set("from", links[from].dataset.date);
    address.searchParams.set("to", links[to].dataset.date);
    location.assign(address);
  };

  strip.addEventListener("dragstart", (event) => event.preventDefault());
  if (isRange) {
    strip.addEventListener("pointerdown", (event) => {
      first = event.target.closest(".grip") ? null : place(event);
      moved = false;
    });
    strip.addEventListener("pointerover", (event) => {
      const now = place(event);
      if (first === null || first < 0 || now < 0 || !event.buttons) return;
      moved = moved || now !== first;
      [from, to] = [Math.min(first, now), Math.max(first, now)];
      if (moved) paint();
    });
    strip.addEventListener("click", (event) => { if (moved) event.preventDefault(); }, true);
    addEventListener("pointerup", (event) => {
      if (first !== null && first >= 0 && moved && place(event) >= 0) go();
      first = null;
    });
  }
  if (links.length < 2) continue;

  const grips = (isRange ? [["From", -1], ["To", 1]] : [["At", 0]]).map(([name, side]) => {
    const grip = document.createElement("span");
    grip.className = "grip";
    grip.tabIndex = 0;
    grip.setAttribute("role", "slider");
    grip.setAttribute("aria-label", `${name}; arrows move, Enter applies`);
    grip.setAttribute("aria-valuemin", 0);
    grip.setAttribute("aria-valuemax", links.length - 1);
    strip.append(grip);
    return { grip, side };
  });
  const lay = () => {
    const frame = strip.getBoundingClientRect();
    for (const { grip, side } of grips) {
      const number = side < 0 ? from : to;
      const box = links[number].querySelector("svg").getBoundingClientRect();
      const x = side < 0 ? box.left : side > 0 ? box.right : (box.left + box.right) / 2;
      grip.style.left = `${x - frame.left}px`;
      grip.style.top = `${box.bottom - frame.top - 12}px`;
      grip.setAttribute("aria-valuenow", number);
      grip.setAttribute("aria-valuetext", links[number].dataset.date);
    }
  };
  const move = (side, number) => {
    const now = Math.max(0, Math.min(links.length - 1, number));
    if (side < 0) from = Math.min(now, to);
    else if (side > 0) to = Math.max(now, from);
    else from = to = now;
    paint();
    lay();
  };
  for (const { grip, side } of grips) {
    grip.addEventListener("pointerdown", (event) => {
      event.preventDefault();
      event.stopPropagation();
      grip.setPointerCapture(event.pointerId);
      grip.classList.add("held");
    });
    grip.addEventListener("pointermove", (event) => {
      if (!grip.classList.contains("held")) return;
      const middles = links.map((link) => {
        const box = link.getBoundingClientRect();
        return Math.abs((box.left + box.right) / 2 - event.clientX);
      });
      move(side, middles.indexOf(Math.min(...middles)));
    });
    grip.addEventListener("pointerup", () => {
      if (grip.classList.contains("held")) go();
      grip.classList.remove("held");
    });
    grip.addEventListener("keydown", (event) => {
      const step = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1, Home: -links.length, End: links.length }[event.key];
      if (event.key === "Enter") go();
      else if (step) move(side, (side < 0 ? from : to) + step);
      else return;
      event.preventDefault();
    });
  }
  lay();
  addEventListener("resize", lay);
}
