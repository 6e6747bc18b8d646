// The plane of ranks: the pages of the cell under the pointer. Without scripts, the form marks a page.
"use strict";

for (const figure of document.querySelectorAll("[data-plane]")) {
  const { left, top, side, cells, source, cell, page } = figure.dataset;
  const overlay = figure.querySelector(".overlay");
  const box = overlay.querySelector(".cell");
  const near = figure.querySelector(".near");
  const [x0, y0, length, number] = [Number(left), Number(top), Number(side), Number(cells)];
  const known = new Map();
  let filled = null;
  let shown = "";
  near.hidden = false;
  fetch(source).then((response) => response.json()).then(({ rows }) => {
    filled = new Map(rows.map((row) => [`${row.pagerank},${row.cheirank}`, row.nodes]));
    figure.dataset.ready = filled.size;
  }).catch(() => {});

  const list = async (x, y, count) => {
    const key = `${x},${y}`;
    if (!known.has(key)) known.set(key, fetch(`${cell}&x=${x}&y=${y}`).then((response) => response.json()));
    const { rows } = await known.get(key);
    if (shown !== key) return;
    const items = rows.map((row) => {
      const item = document.createElement("li");
      const link = document.createElement("a");
      link.href = page + encodeURI(row.url).replace("?", "%3F").replace("#", "%23");
      link.textContent = row.url.replace(/^https?:\/\//, "");
      item.append(link, ` K ${row.pagerank.toLocaleString("en")}, K* ${row.cheirank.toLocaleString("en")}`);
      return item;
    });
    const head = document.createElement("p");
    head.textContent = `${count.toLocaleString("en")} ${count === 1 ? "page" : "pages"} in this cell` +
      (count > rows.length ? `, the first ${rows.length}:` : ":");
    const all = document.createElement("ol");
    all.append(...items);
    near.replaceChildren(head, all);
  };

  /** The filled cell at a point, or next to it: cells are a few pixels wide. */
  const find = (column, row) => {
    for (const far of [0, 1, 2])
      for (let dx = -far; dx <= far; dx++)
        for (let dy = -far; dy <= far; dy++) {
          const key = `${column + dx},${row + dy}`;
          if (filled.has(key)) return [column + dx, row + dy, filled.get(key)];
        }
    return null;
  };

  overlay.addEventListener("pointermove", (event) => {
    if (!filled) return;
    const frame = overlay.getBoundingClientRect();
    const scale = overlay.viewBox.baseVal.width / frame.width;
    const x = ((event.clientX - frame.left) * scale - x0) / length;
    const y = 1 - ((event.clientY - frame.top) * scale - y0) / length;
    if (x < 0 || y < 0 || x >= 1 || y >= 1) return;
    const hit = find(Math.floor(x * number), Math.floor(y * number));
    if (!hit || shown === `${hit[0]},${hit[1]}`) return;
    shown = `${hit[0]},${hit[1]}`;
    const width = length / number;
    box.setAttribute("x", x0 + hit[0] * width - 1);
    box.setAttribute("y", y0 + length - (hit[1] + 1) * width - 1);
    box.setAttribute("width", width + 2);
    box.setAttribute("height", width + 2);
    list(...hit);
  });
}
