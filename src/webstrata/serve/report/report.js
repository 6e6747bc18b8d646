"use strict";
const specs = JSON.parse(document.getElementById("specs").textContent);
const dark = matchMedia("(prefers-color-scheme: dark)");
const light = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000", "#7a5195", "#8c8c2e", "#9c6b4e"];
const night = ["#56b4e9", "#f28e4b", "#2fc79b", "#e3a3c6", "#f0bd50", "#9ad4f5", "#e4e8ea", "#b79be0", "#cfcf6a", "#d1a98c"];
// shades that charts name themselves, and what stands for them on a dark page
const shades = Object.assign(Object.fromEntries(light.map((colour, place) => [colour, night[place]])),
  { "#d6e6f1": "#20425a", "#eef3f6": "#232a2f", "#1f4fd8": "#7f9cf5", "#d62728": "#ff6b6b" });
let printing = false;

function config(isDark) {
  const [ink, soft, line] = isDark ? ["#e4e8ea", "#a0abb2", "#333c42"] : ["#1d2529", "#5b666d", "#e2e6e9"];
  return {
    background: "transparent", font: "system-ui, 'Segoe UI', Helvetica, Arial, sans-serif", padding: 2,
    range: { category: isDark ? night : light, heatmap: { scheme: isDark ? "darkblue" : "blues" }, ramp: { scheme: isDark ? "darkblue" : "blues" } },
    view: { stroke: null },
    axis: { labelFontSize: 11, titleFontSize: 12, titleFontWeight: 400, titleColor: soft, labelColor: soft,
            gridColor: line, domainColor: line, tickColor: line, titlePadding: 6, labelOverlap: "greedy", labelSeparation: 6 },
    legend: { labelFontSize: 11, titleFontSize: 11, titleFontWeight: 400, titleColor: soft, labelColor: ink, labelLimit: 240,
              orient: "bottom", columns: 3, gradientLength: 180, layout: { bottom: { direction: "vertical", anchor: "start" } } },
    header: { labelColor: ink, labelFontSize: 11, titleColor: soft },
    line: { strokeWidth: 2 }, point: { filled: true, size: 36 }, text: { color: ink },
  };
}

function fit(spec, box) {
  const width = Math.max(box.clientWidth, 200);
  const narrow = width < 430;
  const inner = spec.facet ? spec.spec : spec;
  const isSquare = inner.width !== undefined && inner.width === inner.height;
  const panels = spec.facet || (spec.encoding && (spec.encoding.facet || spec.encoding.column));
  if (panels) {
    // as many in a row as fit, rows of the same length, each panel with room for its axis
    const number = new Set(spec.data.values.map((row) => row[panels.field])).size;
    const fitting = Math.min(Math.max(Math.ceil(width / 330), 1), number);
    const columns = Math.ceil(number / Math.ceil(number / fitting));
    inner.width = Math.min(Math.floor((width - 50) / columns) - 24, 300);
    inner.height = isSquare ? inner.width : 200;
    if (spec.facet) spec.columns = columns;
    else {
      delete spec.encoding.column;
      spec.encoding.facet = Object.assign({}, panels, { columns });
    }
  } else if (isSquare) {
    spec.width = spec.height = Math.min(400, width - 60);
  } else {
    spec.width = "container";
    spec.autosize = { type: "fit-x", contains: "padding" };
    if (spec.height === undefined) spec.height = narrow ? 220 : 260;
  }
  return narrow;
}

async function draw(box) {
  const isDark = dark.matches && !printing;
  // a legend inside a chart would hide what is below it where the chart is small
  let text = JSON.stringify(specs[box.dataset.figure]).replaceAll(/"orient":\s*"((top|bottom)-(left|right)|right)"/g, '"orient":"bottom"');
  // neither end of a scale may be lost on the page
  text = text.replaceAll(/"scheme":\s*"viridis"/g, '"scheme":{"name":"viridis","extent":' + (isDark ? "[0.3,1]" : "[0,0.85]") + "}");
  if (isDark) for (const [from, to] of Object.entries(shades)) text = text.replaceAll(JSON.stringify(from), JSON.stringify(to));
  const spec = JSON.parse(text);
  const narrow = fit(spec, box);
  const settings = config(isDark);
  if (narrow) Object.assign(settings.legend, { columns: 2, labelLimit: 140 });
  const many = text.length > 400000;
  try {
    const made = await vegaEmbed(box, spec, { actions: false, renderer: many && !printing ? "canvas" : "svg", config: settings, tooltip: { theme: isDark ? "dark" : "light" } });
    box.view = made.view;
    box.dataset.drawn = "yes";
  } catch (error) {
    box.textContent = "This figure could not be drawn: " + error.message;
    box.dataset.drawn = "failed";
    console.error(error);
  }
}

function rowsOf(spec) {
  const found = [];
  (function walk(node) {
    if (Array.isArray(node)) node.forEach(walk);
    else if (node && typeof node === "object") {
      if (node.data && Array.isArray(node.data.values)) found.push(node.data.values);
      for (const [key, child] of Object.entries(node)) if (key !== "data") walk(child);
    }
  })(spec);
  return found;
}

function cell(value) {
  const text = value === null || value === undefined ? "" : String(value);
  return /[",\n]/.test(text) ? '"' + text.replaceAll('"', '""') + '"' : text;
}

function csv(tables) {
  return tables.map((rows) => {
    const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))];
    return [columns, ...rows.map((row) => columns.map((column) => row[column]))].map((line) => line.map(cell).join(",")).join("\n");
  }).join("\n\n") + "\n";
}

function save(name, type, text) {
  const link = document.createElement("a");
  link.href = "data:" + type + ";charset=utf-8," + encodeURIComponent(text);
  link.download = name;
  link.click();
}

document.addEventListener("click", async (event) => {
  const button = event.target.closest("button[data-get]");
  if (!button) return;
  const kind = button.dataset.get;
  const figure = button.closest("figure");
  if (figure) {
    const box = figure.querySelector(".plot"), name = box.dataset.figure;
    if (kind === "csv") save(name + ".csv", "text/csv", csv(rowsOf(specs[name])));
    if (kind === "json") save(name + ".json", "application/json", JSON.stringify(rowsOf(specs[name]), null, 1));
    if (kind === "svg") {
      if (!box.view) await draw(box);
      save(name + ".svg", "image/svg+xml", await box.view.toSVG());
    }
    return;
  }
  const table = button.closest(".table").querySelector("table");
  const lines = [...table.rows].map((row) => [...row.cells].map((one) => cell(one.dataset.value ?? one.textContent)).join(","));
  save((table.getAttribute("aria-label") || "table") + ".csv", "text/csv", lines.join("\n") + "\n");
});

const boxes = [...document.querySelectorAll(".plot")];
const observer = new IntersectionObserver((entries) => {
  for (const entry of entries) if (entry.isIntersecting) { observer.unobserve(entry.target); draw(entry.target); }
}, { rootMargin: "600px" });
boxes.forEach((box) => observer.observe(box));
const redraw = () => Promise.all(boxes.filter((box) => box.dataset.drawn).map(draw));
dark.addEventListener("change", redraw);
let width = innerWidth, timer = 0;
addEventListener("resize", () => {
  clearTimeout(timer);
  timer = setTimeout(() => { if (innerWidth !== width) { width = innerWidth; redraw(); } }, 200);
});
// a printer wants all of them, in light colours
window.drawAll = () => Promise.all(boxes.map((box) => { observer.unobserve(box); return draw(box); }));
addEventListener("beforeprint", () => { printing = true; window.drawAll(); });
addEventListener("afterprint", () => { printing = false; redraw(); });
