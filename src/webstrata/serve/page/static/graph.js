// The neighbourhood of a page or host on a canvas: opened by clicks, filtered by time with a slider.
// The list below it has the same, and is what is used without a pointer or without scripts.
import { Layout } from "./forces.js";

const MOST = 10000;
const BATCH = 60;
const LABELS = 120;
function start(figure) {
  const frame = figure.querySelector(".canvas");
  const canvas = document.createElement("canvas");
  canvas.tabIndex = 0;
  canvas.setAttribute("role", "img");
  canvas.setAttribute("aria-describedby", "graph-keys");
  frame.replaceChildren(canvas);
  figure.querySelectorAll("[data-scripted]").forEach((element) => (element.hidden = false));
  const graph = new Graph(figure, canvas);
  graph.open(figure.dataset.of);
}

class Graph {
  constructor(figure, canvas) {
    this.figure = figure;
    this.canvas = canvas;
    this.paper = canvas.getContext("2d");
    this.status = figure.querySelector("[role=status]");
    this.slider = figure.querySelector("input[type=range]");
    this.chosen = figure.querySelector(".picked-node");
    this.layout = new Layout(MOST);
    this.nodes = [];
    this.places = new Map();
    this.arcs = new Map();
    this.lines = [];
    this.view = { x: 0, y: 0, scale: 1, isFree: false };
    this.at = null;
    this.focus = 0;
    this.frames = [];
    this.listen();
    this.resize();
    new ResizeObserver(() => this.resize()).observe(canvas.parentElement);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.draw());
  }

  // ---- data

  async open(name, limit = BATCH) {
    const known = this.places.get(name);
    const node = known === undefined ? null : this.nodes[known];
    if (node?.isLoading || (node?.isOpen && !node.next)) return;
    if (node) node.isLoading = true;
    const address = new URL(this.figure.dataset.source, location.href);
    address.searchParams.set("of", name);
    address.searchParams.set("limit", limit);
    if (this.figure.dataset.at) address.searchParams.set("at", this.figure.dataset.at);
    if (node?.next) address.searchParams.set("cursor", node.next);
    this.say("Loading…");
    const response = await fetch(address).catch(() => null);
    if (node) node.isLoading = false;
    if (!response?.ok) {
      const problem = await response?.json().catch(() => null);
      this.say(problem?.detail ?? "The server cannot be reached.");
      return;
    }
    this.take(await response.json(), name);
  }

  take(found, name) {
    if (!this.snapshots) this.choose(found.snapshots);
    const centre = this.places.get(name) ?? this.places.get(found.rows[0].name);
    const near = centre === undefined ? { x: 0, y: 0 } : { x: this.layout.x[centre], y: this.layout.y[centre] };
    let left = 0;
    const places = found.rows.map((row, number) => {
      const known = this.places.get(row.name);
      if (known !== undefined) return known;
      if (this.nodes.length >= MOST) {
        left++;
        return -1;
      }
      // a spiral around the node that was opened
      const angle = number * 2.39996, far = number ? 14 * Math.sqrt(number) + 20 : 0;
      const place = this.layout.add(near.x + Math.cos(angle) * far, near.y + Math.sin(angle) * far);
      this.nodes.push({ name: row.name, rank: row.rank, when: row.when, isOpen: false, left: 0, next: null });
      this.places.set(row.name, place);
      return place;
    });
    for (const [source, target, low, high] of found.arcs) {
      const [one, other] = [places[source], places[target]];
      if (one >= 0 && other >= 0) this.arcs.set(one * MOST + other, [one, other, low, high]);
    }
    const node = this.nodes[places[0]];
    node.isOpen = true;
    node.next = found.next;
    node.left = found.left + left;
    this.prefix = commonPrefix(this.nodes.map((one) => one.name));
    this.figure.dataset.nodes = this.nodes.length;
    this.figure.dataset.arcs = this.arcs.size;
    // all arcs pull, whatever their time: nothing jumps when the date changes
    const all = [...this.arcs.values()];
    this.layout.join(all.map((arc) => arc[0]), all.map((arc) => arc[1]));
    this.filter();
    this.pick(places[0]);
    if (left) this.say(`${MOST.toLocaleString("en")} nodes are drawn, the most that fit; the list has the others.`);
  }

  choose(snapshots) {
    this.snapshots = snapshots;
    this.slider.max = snapshots.length - 1;
    const date = this.figure.dataset.at;
    const place = date ? snapshots.findLastIndex((one) => one <= date) : -1;
    this.slider.value = place < 0 ? snapshots.length - 1 : place;
    this.slider.closest("label").hidden = snapshots.length < 2;
    this.readSlider();
  }

  readSlider() {
    this.at = Number(this.slider.value);
    this.slider.setAttribute("aria-valuetext", this.snapshots[this.at]);
    this.figure.querySelector("output").textContent = this.snapshots[this.at];
  }

  /** Arcs at the chosen date and since the one before it: 0 stayed, 1 added, 2 removed. */
  filter() {
    const has = (low, high, bit) => bit >= 0 && ((bit < 32 ? low >>> bit : high >>> (bit - 32)) & 1) === 1;
    this.lines = [[], [], []];
    for (const [one, other, low, high] of this.arcs.values()) {
      const now = has(low, high, this.at), was = has(low, high, this.at - 1);
      if (!now && !was) continue;
      this.lines[now ? (was || !this.at ? 0 : 1) : 2].push(one, other);
    }
    for (const node of this.nodes) {
      node.isThere = has(...node.when, this.at);
      node.isSeen = node.isThere || has(...node.when, this.at - 1);
    }
    const [stayed, added, removed] = this.lines.map((one) => one.length / 2);
    const seen = this.nodes.filter((node) => node.isThere).length;
    const show = (number) => number.toLocaleString("en");
    this.say(`${show(seen)} nodes, ${show(stayed + added)} links at ${this.snapshots[this.at]}` +
      (added || removed ? `; ${show(added)} added, ${show(removed)} removed since ${this.snapshots[this.at - 1]}` : ""));
    this.canvas.setAttribute("aria-label", `Drawing: ${this.status.textContent}`);
    this.run();
  }

  say(sentence) {
    this.status.textContent = sentence;
  }

  // ---- drawing

  run() {
    if (this.isRunning) return;
    this.isRunning = true;
    const turn = () => {
      const begun = performance.now();
      const moves = this.layout.step();
      if (!this.view.isFree) this.fit();
      this.draw();
      this.frames = [...this.frames.slice(-19), performance.now() - begun];
      this.figure.dataset.frame = (this.frames.reduce((sum, one) => sum + one, 0) / this.frames.length).toFixed(2);
      if (moves) requestAnimationFrame(turn);
      else this.isRunning = false;
    };
    if (matchMedia("(prefers-reduced-motion: reduce)").matches) {
      for (let count = 0; count < 300 && this.layout.step(); count++);
      this.fit();
      this.draw();
      this.isRunning = false;
    } else requestAnimationFrame(turn);
  }

  resize() {
    const box = this.canvas.parentElement.getBoundingClientRect();
    const ratio = devicePixelRatio || 1;
    this.width = box.width;
    this.height = box.height;
    this.canvas.width = Math.round(box.width * ratio);
    this.canvas.height = Math.round(box.height * ratio);
    this.ratio = ratio;
    if (!this.view.isFree) this.fit();
    this.draw();
  }

  fit() {
    const { x, y, number } = this.layout;
    let [left, top, right, bottom] = [Infinity, Infinity, -Infinity, -Infinity];
    for (let node = 0; node < number; node++) {
      left = Math.min(left, x[node]);
      right = Math.max(right, x[node]);
      top = Math.min(top, y[node]);
      bottom = Math.max(bottom, y[node]);
    }
    if (!number) return;
    const margin = Math.min(90, this.width / 6);
    const scale = Math.min((this.width - 2 * margin) / (right - left || 1), (this.height - 72) / (bottom - top || 1), 2);
    this.view = { x: (left + right) / 2, y: (top + bottom) / 2, scale, isFree: false };
  }

  toScreen(node) {
    return [
      (this.layout.x[node] - this.view.x) * this.view.scale + this.width / 2,
      (this.layout.y[node] - this.view.y) * this.view.scale + this.height / 2,
    ];
  }

  radius(node) {
    const { rank } = this.nodes[node];
    const size = rank ? 4 + 7 / (1 + Math.log10(rank)) : 4;
    return this.nodes.length > 500 ? size * Math.max(0.35, Math.min(1, this.view.scale)) : size;
  }

  draw() {
    if (!this.nodes.length) return;
    const { paper } = this;
    const style = getComputedStyle(this.figure);
    const color = (name) => style.getPropertyValue(`--${name}`).trim();
    paper.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    paper.clearRect(0, 0, this.width, this.height);
    // where there are many, only those of the chosen node stand out
    const isDense = this.lines.some((ends) => ends.length > 500);
    const pens = [[color("quiet"), 1, [], 0.6], [color("added"), 2.5, [], 1], [color("removed"), 1.5, [5, 4], 1]];
    this.lines.forEach((ends, kind) => {
      const [stroke, width, dash, opacity] = pens[kind];
      if (!isDense) return this.drawLines(ends, stroke, width, dash, opacity);
      const [mine, others] = [[], []];
      for (let place = 0; place < ends.length; place += 2)
        (ends[place] === this.focus || ends[place + 1] === this.focus ? mine : others).push(ends[place], ends[place + 1]);
      this.drawLines(others, stroke, this.nodes.length > 500 ? 0.4 : 0.75, dash, 0.16, false);
      this.drawLines(mine, stroke, width, dash, opacity);
    });
    const fills = [[], [], []];
    for (let node = 0; node < this.nodes.length; node++) {
      const one = this.nodes[node];
      if (one.isSeen) fills[!one.isThere ? 2 : one.isOpen ? 1 : 0].push(node);
    }
    this.drawNodes(fills[0], color("accent"), color("ground"));
    this.drawNodes(fills[1], color("ink"), color("ground"));
    this.drawNodes(fills[2], color("ground"), color("removed"));
    if (this.nodes[this.focus]) {
      const [x, y] = this.toScreen(this.focus);
      paper.beginPath();
      paper.arc(x, y, this.radius(this.focus) + 4, 0, 2 * Math.PI);
      paper.strokeStyle = color("accent");
      paper.lineWidth = 2;
      paper.stroke();
    }
    this.drawLabels(color("ink"), color("raised"));
  }

  drawLines(ends, stroke, width, dash, opacity, isSmall = this.nodes.length <= 500) {
    const { paper } = this;
    paper.globalAlpha = opacity;
    paper.strokeStyle = paper.fillStyle = stroke;
    paper.lineWidth = width;
    paper.setLineDash(dash);
    paper.beginPath();
    const tips = [];
    for (let place = 0; place < ends.length; place += 2) {
      const [ax, ay] = this.toScreen(ends[place]), [bx, by] = this.toScreen(ends[place + 1]);
      paper.moveTo(ax, ay);
      paper.lineTo(bx, by);
      if (isSmall) tips.push([ax, ay, bx, by, this.radius(ends[place + 1]) + 1]);
    }
    paper.stroke();
    paper.setLineDash([]);
    for (const [ax, ay, bx, by, gap] of tips) {
      const far = Math.hypot(bx - ax, by - ay);
      if (far < gap + 8) continue;
      const [dx, dy] = [(bx - ax) / far, (by - ay) / far];
      const [tx, ty] = [bx - dx * gap, by - dy * gap];
      const size = 4 + width;
      paper.beginPath();
      paper.moveTo(tx, ty);
      paper.lineTo(tx - dx * size - dy * size * 0.5, ty - dy * size + dx * size * 0.5);
      paper.lineTo(tx - dx * size + dy * size * 0.5, ty - dy * size - dx * size * 0.5);
      paper.fill();
    }
    paper.globalAlpha = 1;
  }

  drawNodes(list, fill, stroke) {
    const { paper } = this;
    paper.fillStyle = fill;
    paper.strokeStyle = stroke;
    paper.lineWidth = 1.25;
    paper.beginPath();
    for (const node of list) {
      const [x, y] = this.toScreen(node);
      const radius = this.radius(node);
      paper.moveTo(x + radius, y);
      paper.arc(x, y, radius, 0, 2 * Math.PI);
    }
    paper.fill();
    paper.stroke();
  }

  /** Labels of the most important nodes, none over another. */
  drawLabels(ink, ground) {
    const { paper } = this;
    paper.font = "12px system-ui, sans-serif";
    paper.textBaseline = "middle";
    const order = [...this.nodes.keys()].filter((node) => this.nodes[node].isSeen);
    const weight = (node) => (node === this.focus || node === this.hovered ? -2 : this.nodes[node].isOpen ? -1 :
      this.nodes[node].rank ?? Infinity);
    order.sort((one, other) => weight(one) - weight(other) || one - other);
    const taken = [];
    const dots = order.length > 500 ? [] : order.map((node) => {
      const [x, y] = this.toScreen(node), radius = this.radius(node);
      return [x - radius, y - radius, x + radius, y + radius];
    });
    const meets = (box) => (other) => box[0] < other[2] && other[0] < box[2] && box[1] < other[3] && other[1] < box[3];
    for (const node of order.slice(0, 3 * LABELS)) {
      if (taken.length >= LABELS) break;
      const [x, y] = this.toScreen(node);
      if (x < 0 || y < 0 || x > this.width || y > this.height) continue;
      const one = this.nodes[node];
      const text = shorten(label(one.name, this.prefix), 34) + (one.left ? ` +${one.left.toLocaleString("en")} more` : "");
      const width = paper.measureText(text).width, radius = this.radius(node) + 4;
      for (const [left, top] of [[x + radius, y - 8], [x - radius - width, y - 8], [x - width / 2, y - radius - 14],
        [x - width / 2, y + radius]]) {
        const box = [left, top, left + width, top + 16];
        if (box[0] < 2 || box[2] > this.width - 2 || box[1] < 2 || box[3] > this.height - 2) continue;
        if (taken.some(meets(box)) || dots.some(meets(box))) continue;
        taken.push(box);
        paper.lineWidth = 3;
        paper.lineJoin = "round";
        paper.strokeStyle = ground;
        paper.strokeText(text, left, top + 8);
        paper.fillStyle = ink;
        paper.fillText(text, left, top + 8);
        break;
      }
    }
    this.figure.dataset.labels = taken.length;
  }

  // ---- people

  find(event) {
    const box = this.canvas.getBoundingClientRect();
    const [x, y] = [event.clientX - box.left, event.clientY - box.top];
    let [best, nearest] = [-1, 144];
    for (let node = 0; node < this.nodes.length; node++) {
      if (!this.nodes[node].isSeen) continue;
      const [nx, ny] = this.toScreen(node);
      const far = (nx - x) ** 2 + (ny - y) ** 2;
      if (far < nearest) [best, nearest] = [node, far];
    }
    return best;
  }

  pick(node) {
    this.focus = node;
    const one = this.nodes[node];
    const isHost = !one.name.includes("/");
    const link = this.chosen.querySelector("a");
    link.textContent = one.name;
    link.href = (isHost ? this.figure.dataset.host : this.figure.dataset.page) + encodeURI(one.name)
      .replace("?", "%3F").replace("#", "%23");
    this.chosen.querySelector(".rank").textContent = one.rank ? `rank ${one.rank.toLocaleString("en")}` : "no rank";
    const more = this.chosen.querySelector("button");
    more.hidden = one.isOpen && !one.next;
    more.textContent = one.isOpen ? `Add ${Math.min(one.left, 500)} of ${one.left.toLocaleString("en")} more` : "Open";
    this.draw();
  }

  zoom(factor, x = this.width / 2, y = this.height / 2) {
    const scale = Math.max(0.02, Math.min(8, this.view.scale * factor));
    const [dx, dy] = [x - this.width / 2, y - this.height / 2];
    this.view = {
      x: this.view.x + dx / this.view.scale - dx / scale,
      y: this.view.y + dy / this.view.scale - dy / scale,
      scale,
      isFree: true,
    };
    this.draw();
  }

  listen() {
    const { canvas } = this;
    let grip = null;
    canvas.addEventListener("pointerdown", (event) => {
      grip = { node: this.find(event), x: event.clientX, y: event.clientY, isMoved: false };
      canvas.setPointerCapture(event.pointerId);
    });
    canvas.addEventListener("pointermove", (event) => {
      if (!grip) {
        const node = this.find(event);
        if (node !== this.hovered) {
          this.hovered = node;
          canvas.title = node >= 0 ? this.nodes[node].name : "";
          canvas.style.cursor = node >= 0 ? "pointer" : "grab";
          if (!this.isRunning) this.draw();
        }
        return;
      }
      const [dx, dy] = [event.clientX - grip.x, event.clientY - grip.y];
      if (!grip.isMoved && Math.hypot(dx, dy) < 4) return;
      [grip.isMoved, grip.x, grip.y] = [true, event.clientX, event.clientY];
      if (grip.node >= 0) {
        this.layout.held[grip.node] = 1;
        this.layout.x[grip.node] += dx / this.view.scale;
        this.layout.y[grip.node] += dy / this.view.scale;
        this.layout.alpha = Math.max(this.layout.alpha, 0.2);
        this.view.isFree = true;
        this.run();
      } else {
        this.view = { ...this.view, x: this.view.x - dx / this.view.scale, y: this.view.y - dy / this.view.scale, isFree: true };
        this.draw();
      }
    });
    canvas.addEventListener("pointerup", () => {
      if (grip && grip.node >= 0 && !grip.isMoved) this.select(grip.node);
      grip = null;
    });
    canvas.addEventListener("wheel", (event) => {
      if (!event.ctrlKey && !event.metaKey) return; // the page scrolls
      event.preventDefault();
      const box = canvas.getBoundingClientRect();
      this.zoom(Math.exp(-event.deltaY / 200), event.clientX - box.left, event.clientY - box.top);
    }, { passive: false });
    canvas.addEventListener("keydown", (event) => {
      const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
      if (step) {
        let next = this.focus;
        do next = (next + step + this.nodes.length) % this.nodes.length;
        while (!this.nodes[next].isSeen && next !== this.focus);
        this.pick(next);
        this.say(this.nodes[next].name);
      } else if (event.key === "Enter") this.select(this.focus);
      else if (event.key === "+" || event.key === "=") this.zoom(1.25);
      else if (event.key === "-") this.zoom(0.8);
      else return;
      event.preventDefault();
    });
    this.chosen.querySelector("button").addEventListener("click", () => {
      const one = this.nodes[this.focus];
      this.open(one.name, one.isOpen ? 500 : BATCH);
    });
    for (const button of this.figure.querySelectorAll("[data-zoom]"))
      button.addEventListener("click", () => {
        if (button.dataset.zoom !== "fit") return this.zoom(Number(button.dataset.zoom));
        this.view.isFree = false;
        this.fit();
        this.draw();
      });
    this.slider.addEventListener("input", () => {
      this.readSlider();
      this.filter();
    });
    this.slider.addEventListener("change", () => this.renew());
  }

  select(node) {
    this.pick(node);
    this.open(this.nodes[node].name);
  }

  /** The date in the address, and the list of that date. */
  async renew() {
    const address = new URL(location.href);
    address.searchParams.set("at", this.snapshots[this.at]);
    address.searchParams.delete("cursor");
    history.replaceState(null, "", address);
    this.figure.dataset.at = this.snapshots[this.at];
    const response = await fetch(address, { headers: { accept: "text/html" } }).catch(() => null);
    if (!response) return;
    const page = new DOMParser().parseFromString(await response.text(), "text/html");
    const sentence = page.querySelector(".sentence");
    if (sentence) {
      // the page or host did not exist then
      const list = document.querySelector(".neighbour-list");
      list.querySelector(".quiet").textContent = this.snapshots[this.at];
      list.replaceChildren(list.querySelector("h2"), sentence);
      return;
    }
    for (const selector of [".neighbour-list", ".same", "header + .strip"]) {
      const [old, next] = [document.querySelector(selector), page.querySelector(selector)];
      if (old && next) old.replaceWith(next);
    }
  }
}

function commonPrefix(names) {
  if (names.length < 2 || !names[0].includes("/")) return "";
  let [first, last] = [names[0], names[0]];
  for (const name of names) {
    if (name < first) first = name;
    if (name > last) last = name;
  }
  let equal = 0;
  while (equal < first.length && first[equal] === last[equal]) equal++;
  return first.slice(0, first.lastIndexOf("/", equal - 1) + 1);
}

function label(name, prefix) {
  return prefix && name.startsWith(prefix) ? name.slice(prefix.length) || "/" : name.replace(/^https?:\/\//, "");
}

function shorten(text, most) {
  return text.length <= most ? text : `${text.slice(0, most / 2 - 1)}…${text.slice(1 - most / 2)}`;
}

const figure = document.querySelector("[data-graph]");
if (figure) start(figure);
