// Completion, copying of commands, a range of dates by dragging, and the live crawl. Every page works without it.
"use strict";

for (const button of document.querySelectorAll("button[data-copy]")) {
  button.hidden = !navigator.clipboard;
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(button.parentElement.querySelector("code").textContent);
    button.textContent = "Copied";
    setTimeout(() => { button.textContent = "Copy"; }, 1500);
  });
}

for (const input of document.querySelectorAll("input[data-complete]")) {
  const list = document.getElementById("completions");
  let asked = 0;
  input.addEventListener("input", () => {
    const number = ++asked;
    setTimeout(async () => {
      if (number !== asked || input.value.trim().length < 2) return;
      const response = await fetch(`${input.dataset.complete}?q=${encodeURIComponent(input.value)}`).catch(() => null);
      if (!response || !response.ok || number !== asked) return;
      const { rows } = await response.json();
      list.replaceChildren(...rows.map((row) => {
        const option = document.createElement("option");
        option.value = row.text;
        return option;
      }));
    }, 120);
  });
}

for (const strip of document.querySelectorAll(".strip[data-range]")) {
  const links = [...strip.querySelectorAll("a[data-date]")];
  let first = null;
  let moved = false;
  const place = (event) => links.indexOf(event.target.closest?.("a[data-date]"));
  const paint = (from, to) => links.forEach((link, number) =>
    link.classList.toggle("picked", number >= Math.min(from, to) && number <= Math.max(from, to)));
  strip.addEventListener("dragstart", (event) => event.preventDefault());
  strip.addEventListener("pointerdown", (event) => { first = place(event); moved = false; });
  strip.addEventListener("pointerover", (event) => {
    const now = place(event);
    if (first === null || first < 0 || now < 0 || !event.buttons) return;
    moved = moved || now !== first;
    if (moved) paint(first, now);
  });
  strip.addEventListener("click", (event) => { if (moved) event.preventDefault(); }, true);
  addEventListener("pointerup", (event) => {
    const last = place(event);
    if (first !== null && first >= 0 && moved && last >= 0) {
      const address = new URL(location.href);
      const [from, to] = [Math.min(first, last), Math.max(first, last)];
      address.searchParams.delete("at");
      address.searchParams.delete("cursor");
      address.searchParams.set("from", links[from].dataset.date);
      address.searchParams.set("to", links[to].dataset.date);
      location.assign(address);
    }
    first = null;
  });
}

const live = document.querySelector("[data-live]");
if (live) {
  const renew = async () => {
    if (document.hidden) return;
    const response = await fetch(location.href, { headers: { accept: "text/html" } }).catch(() => null);
    if (!response || !response.ok) return;
    const page = new DOMParser().parseFromString(await response.text(), "text/html");
    const next = page.querySelector("[data-live]");
    if (next) live.replaceChildren(...next.childNodes);
    else location.reload();
  };
  setInterval(renew, 3000);
}
