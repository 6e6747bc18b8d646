// Places of nodes: springs along arcs, repulsion by Barnes and Hut's quadtree. Typed arrays, no objects per node.
"use strict";

const THETA2 = 0.81;
const CHARGE = 2400;
const LENGTH = 80;

/** Nodes with places, and the arcs that pull them; it grows as nodes are opened. */
export class Layout {
  constructor(most) {
    this.most = most;
    this.number = 0;
    for (const name of ["x", "y", "vx", "vy", "held", "degree"]) this[name] = new Float32Array(most);
    this.sources = new Uint32Array(0);
    this.targets = new Uint32Array(0);
    this.alpha = 0;
    this.room(4 * most);
  }

  room(cells) {
    this.child = new Int32Array(4 * cells);
    this.mass = new Float32Array(cells);
    this.cx = new Float32Array(cells);
    this.cy = new Float32Array(cells);
    this.leaf = new Int32Array(cells);
    this.cells = cells;
  }

  add(x, y) {
    const node = this.number++;
    this.x[node] = x;
    this.y[node] = y;
    return node;
  }

  join(sources, targets) {
    this.sources = Uint32Array.from(sources);
    this.targets = Uint32Array.from(targets);
    this.degree.fill(0);
    for (const ends of [this.sources, this.targets]) for (const node of ends) this.degree[node]++;
    this.alpha = 1;
  }

  /** One step; whether anything still moves. */
  step() {
    if (this.alpha < 0.005 || !this.number) return false;
    this.alpha *= 0.977;
    this.pull();
    this.build();
    this.push();
    const { x, y, vx, vy, held } = this;
    for (let node = 0; node < this.number; node++) {
      vx[node] = (vx[node] - 0.02 * this.alpha * x[node]) * 0.6;
      vy[node] = (vy[node] - 0.02 * this.alpha * y[node]) * 0.6;
      if (held[node]) continue;
      x[node] += Math.max(-40, Math.min(40, vx[node]));
      y[node] += Math.max(-40, Math.min(40, vy[node]));
    }
    return true;
  }

  pull() {
    const { x, y, vx, vy, degree, sources, targets } = this;
    for (let arc = 0; arc < sources.length; arc++) {
      const one = sources[arc], other = targets[arc];
      let dx = x[other] - x[one], dy = y[other] - y[one];
      const far = Math.sqrt(dx * dx + dy * dy) || 1;
      const strength = (this.alpha * (far - LENGTH)) / far / Math.min(degree[one], degree[other]);
      const share = degree[one] / (degree[one] + degree[other]);
      dx *= strength;
      dy *= strength;
      vx[other] -= dx * share;
      vy[other] -= dy * share;
      vx[one] += dx * (1 - share);
      vy[one] += dy * (1 - share);
    }
  }

  build() {
    const { x, y, child, leaf, number } = this;
    let [left, top, right, bottom] = [Infinity, Infinity, -Infinity, -Infinity];
    for (let node = 0; node < number; node++) {
      left = Math.min(left, x[node]);
      right = Math.max(right, x[node]);
      top = Math.min(top, y[node]);
      bottom = Math.max(bottom, y[node]);
    }
    this.size = Math.max(right - left, bottom - top, 1);
    this.left = left;
    this.top = top;
    let used = 1;
    child.fill(0, 0, 4);
    leaf[0] = -1;
    for (let node = 0; node < number; node++) {
      let cell = 0, cx = left, cy = top, half = this.size / 2;
      for (let depth = 0; ; depth++) {
        const east = x[node] > cx + half, south = y[node] > cy + half;
        const place = 4 * cell + (south ? 2 : 0) + (east ? 1 : 0);
        const next = child[place];
        if (!next) {
          if (used >= this.cells) break;
          leaf[used] = node;
          child.fill(0, 4 * used, 4 * used + 4);
          child[place] = used++;
          break;
        }
        if (leaf[next] < 0) {
          cell = next;
          if (east) cx += half;
          if (south) cy += half;
          half /= 2;
          continue;
        }
        if (depth > 18 || used + 1 >= this.cells) break; // two nodes in the same place
        const old = leaf[next];
        leaf[next] = -1;
        if (east) cx += half;
        if (south) cy += half;
        half /= 2;
        const inner = 4 * next + (y[old] > cy + half ? 2 : 0) + (x[old] > cx + half ? 1 : 0);
        leaf[used] = old;
        child.fill(0, 4 * used, 4 * used + 4);
        child[inner] = used++;
        cell = next;
      }
    }
    this.used = used;
    this.weigh();
  }

  /** Mass and centre of every cell; children have higher numbers than their parents. */
  weigh() {
    const { x, y, child, leaf, mass, cx, cy } = this;
    for (let cell = this.used - 1; cell >= 0; cell--) {
      let sum = 0, sx = 0, sy = 0;
      const node = leaf[cell];
      if (node >= 0) [sum, sx, sy] = [1, x[node], y[node]];
      else
        for (let place = 4 * cell; place < 4 * cell + 4; place++) {
          const one = child[place];
          if (!one) continue;
          sum += mass[one];
          sx += mass[one] * cx[one];
          sy += mass[one] * cy[one];
        }
      mass[cell] = sum;
      cx[cell] = sum ? sx / sum : 0;
      cy[cell] = sum ? sy / sum : 0;
    }
  }

  push() {
    const { x, y, vx, vy, child, leaf, mass, cx, cy } = this;
    const stack = new Int32Array(256), sizes = new Float32Array(256);
    const charge = CHARGE * this.alpha;
    for (let node = 0; node < this.number; node++) {
      let depth = 1, fx = 0, fy = 0;
      stack[0] = 0;
      sizes[0] = this.size;
      while (depth) {
        const cell = stack[--depth], size = sizes[depth];
        if (leaf[cell] === node) continue;
        const dx = x[node] - cx[cell], dy = y[node] - cy[cell];
        let far = dx * dx + dy * dy;
        if (leaf[cell] >= 0 || size * size < THETA2 * far) {
          if (far < 25) far = 25;
          fx += (dx * mass[cell]) / far;
          fy += (dy * mass[cell]) / far;
          continue;
        }
        for (let place = 4 * cell; place < 4 * cell + 4; place++)
          if (child[place] && depth < 255) {
            stack[depth] = child[place];
            sizes[depth++] = size / 2;
          }
      }
      vx[node] += fx * charge * 0.1;
      vy[node] += fy * charge * 0.1;
    }
  }
}
