// Completion, copying of commands, and the live crawl. Every page works without it.
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
