/** The map: a plane, or the globe under Mercator with tiles behind it if they are wanted. */

import { routeColour, routeDash, sharpen, themed } from "./look";

export interface Place {
  id: string;
  label: string;
  /** x to the right and y up; or longitude and latitude. */
  at: [number, number];
  isDepot: boolean;
}

export interface Line {
  vehicle: number;
  /** Indices of places, from start to end. */
  path: number[];
  isLongest: boolean;
}

/** What is drawn above the routes, in the map's own coordinates: the exchange that is played. */
export type Overlay = (context: CanvasRenderingContext2D, point: (place: number) => [number, number]) => void;

export type Tool = "move" | "city" | "depot" | "erase";

export interface MapEvents {
  place?(at: [number, number], isDepot: boolean): void;
  move?(place: number, at: [number, number]): void;
  moved?(place: number): void;
  erase?(place: number): void;
  pick?(vehicle: number | null): void;
}

const GLOW = 450;
const CALM = matchMedia("(prefers-reduced-motion: reduce)");
const REACH = 12;
const TILE = 256;

/** What an empty map shows: longitude, latitude; and x, y downwards. */
const WORLD: [number, number][] = [
  [-125, -45],
  [150, 65],
];
const SQUARE: [number, number][] = [
  [0, 0],
  [100, -100],
];

export class MapView {
  tool: Tool = "move";
  private places: Place[] = [];
  private lines: Line[] = [];
  private geographic = false;
  private tiles = "";
  private lit: number | null = null;
  private overlay: Overlay | null = null;
  private scale = 1;
  private origin: [number, number] = [0, 0];
  private fitted = true;
  private fresh: [number, number][] = [];
  private freshSince = 0;
  private pending = 0;
  private hovered = -1;
  private pictures = new Map<string, HTMLImageElement>();
  private pointers = new Map<number, [number, number]>();
  private drag: { place: number; moved: boolean } | null = null;
  private travelled = 0;

  constructor(
    readonly canvas: HTMLCanvasElement,
    private readonly events: MapEvents = {},
  ) {
    new ResizeObserver(() => (this.fitted ? this.fit() : this.redraw())).observe(canvas);
    canvas.addEventListener("pointerdown", (event) => this.down(event));
    canvas.addEventListener("pointermove", (event) => this.moveOver(event));
    for (const name of ["pointerup", "pointercancel"] as const) {
      canvas.addEventListener(name, (event) => this.up(event));
    }
    canvas.addEventListener("pointerleave", () => this.hover(-1));
    canvas.addEventListener("wheel", (event) => this.wheel(event), { passive: false });
    canvas.addEventListener("keydown", (event) => this.key(event));
    canvas.addEventListener("dblclick", () => this.tool === "move" && this.fit());
  }

  show(places: Place[], geographic: boolean, keepView = false): void {
    this.places = places;
    this.geographic = geographic;
    if (keepView) this.redraw();
    else this.fit();
  }

  /** New routes; links that were not there before glow for a moment. */
  route(lines: Line[]): void {
    const before = new Set(this.lines.flatMap(linksOf).map(keyOf));
    this.fresh = before.size ? lines.flatMap(linksOf).filter((link) => !before.has(keyOf(link))) : [];
    this.freshSince = performance.now();
    this.lines = lines;
    this.redraw();
  }

  light(vehicle: number | null): void {
    this.lit = vehicle;
    this.redraw();
  }

  over(overlay: Overlay | null): void {
    this.overlay = overlay;
    this.redraw();
  }

  useTiles(template: string): void {
    this.tiles = template;
    this.redraw();
  }

  fit(): void {
    this.fitted = true;
    const { clientWidth: width, clientHeight: height } = this.canvas;
    const points = this.places.map((place) => this.world(place.at));
    if (points.length < 2) points.push(...(this.geographic ? WORLD.map((at) => this.world(at)) : SQUARE));
    const xs = points.map((p) => p[0]);
    const ys = points.map((p) => p[1]);
    const [left, right] = [Math.min(...xs), Math.max(...xs)];
    const [top, bottom] = [Math.min(...ys), Math.max(...ys)];
    const margin = Math.min(48, 0.09 * Math.min(width, height) + 8);
    const spread = Math.max(right - left, bottom - top, 1e-9);
    this.scale = Math.min(
      (width - 2 * margin) / Math.max(right - left, spread * 1e-3),
      (height - 2 * margin) / Math.max(bottom - top, spread * 1e-3),
    );
    this.origin = [
      width / 2 - (this.scale * (left + right)) / 2,
      height / 2 - (this.scale * (top + bottom)) / 2,
    ];
    this.redraw();
  }

  zoom(factor: number, at?: [number, number]): void {
    const [x, y] = at ?? [this.canvas.clientWidth / 2, this.canvas.clientHeight / 2];
    this.origin = [x - factor * (x - this.origin[0]), y - factor * (y - this.origin[1])];
    this.scale *= factor;
    this.fitted = false;
    this.redraw();
  }

  redraw(): void {
    if (!this.pending) this.pending = requestAnimationFrame(() => this.draw());
  }

  // -- where things are ------------------------------------------------------------------------

  private world([x, y]: [number, number]): [number, number] {
    if (!this.geographic) return [x, -y];
    const sine = Math.sin((Math.max(-85, Math.min(85, y)) * Math.PI) / 180);
    return [x / 360 + 0.5, 0.5 - Math.log((1 + sine) / (1 - sine)) / (4 * Math.PI)];
  }

  private onMap(screen: [number, number]): [number, number] {
    const x = (screen[0] - this.origin[0]) / this.scale;
    const y = (screen[1] - this.origin[1]) / this.scale;
    if (!this.geographic) return [x, -y];
    return [(x - 0.5) * 360, (Math.atan(Math.sinh(Math.PI * (1 - 2 * y))) * 180) / Math.PI];
  }

  private onScreen(place: number): [number, number] {
    const [x, y] = this.world(this.places[place]!.at);
    return [x * this.scale + this.origin[0], y * this.scale + this.origin[1]];
  }

  private nearest([x, y]: [number, number]): number {
    let found = -1;
    let distance = REACH;
    this.places.forEach((_, k) => {
      const [px, py] = this.onScreen(k);
      const d = Math.hypot(px - x, py - y);
      if (d < distance) [found, distance] = [k, d];
    });
    return found;
  }

  private routeAt(point: [number, number]): number | null {
    let found: number | null = null;
    let distance = 8;
    for (const line of this.lines) {
      for (const [u, v] of linksOf(line)) {
        const d = toSegment(point, this.onScreen(u), this.onScreen(v));
        if (d < distance) [found, distance] = [line.vehicle, d];
      }
    }
    return found;
  }

  // -- hands -----------------------------------------------------------------------------------

  private at(event: PointerEvent | WheelEvent): [number, number] {
    const box = this.canvas.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  }

  private down(event: PointerEvent): void {
    const point = this.at(event);
    this.canvas.setPointerCapture(event.pointerId);
    this.pointers.set(event.pointerId, point);
    this.travelled = 0;
    const place = this.nearest(point);
    const canMove = this.tool === "move" && this.events.move && place >= 0 && this.pointers.size === 1;
    this.drag = canMove ? { place, moved: false } : null;
  }

  private moveOver(event: PointerEvent): void {
    const point = this.at(event);
    const before = this.pointers.get(event.pointerId);
    if (!before) return this.hover(this.nearest(point));
    this.travelled += Math.hypot(point[0] - before[0], point[1] - before[1]);
    if (this.pointers.size === 2) {
      const other = [...this.pointers].find(([id]) => id !== event.pointerId)![1];
      const spread = (p: [number, number]) => Math.hypot(p[0] - other[0], p[1] - other[1]);
      const middle: [number, number] = [(point[0] + other[0]) / 2, (point[1] + other[1]) / 2];
      this.zoom(spread(point) / Math.max(1, spread(before)), middle);
    } else if (this.drag) {
      if (this.travelled > 3 || this.drag.moved) {
        this.drag.moved = true;
        this.events.move?.(this.drag.place, this.onMap(point));
      }
    } else if (this.travelled > 3) {
      this.origin = [this.origin[0] + point[0] - before[0], this.origin[1] + point[1] - before[1]];
      this.fitted = false;
      this.redraw();
    }
    this.pointers.set(event.pointerId, point);
  }

  private up(event: PointerEvent): void {
    const point = this.pointers.get(event.pointerId);
    this.pointers.delete(event.pointerId);
    if (!point) return;
    if (this.drag?.moved) this.events.moved?.(this.drag.place);
    else if (this.travelled <= 3 && event.type === "pointerup") this.click(point);
    this.drag = null;
  }

  private click(point: [number, number]): void {
    const place = this.nearest(point);
    if (this.tool === "erase") {
      if (place >= 0) this.events.erase?.(place);
    } else if (this.tool === "move") {
      const served = this.lines.find((line) => line.path.slice(1, -1).includes(place));
      this.events.pick?.(place >= 0 ? (served?.vehicle ?? null) : this.routeAt(point));
    } else {
      this.events.place?.(this.onMap(point), this.tool === "depot");
    }
  }

  private wheel(event: WheelEvent): void {
    event.preventDefault();
    this.zoom(Math.exp(-event.deltaY * (event.ctrlKey ? 0.01 : 0.0015)), this.at(event));
  }

  private key(event: KeyboardEvent): void {
    const step = 40;
    const moves: Record<string, [number, number]> = {
      ArrowLeft: [step, 0],
      ArrowRight: [-step, 0],
      ArrowUp: [0, step],
      ArrowDown: [0, -step],
    };
    const move = moves[event.key];
    if (move) {
      this.origin = [this.origin[0] + move[0], this.origin[1] + move[1]];
      this.fitted = false;
      this.redraw();
    } else if (event.key === "+" || event.key === "=") this.zoom(1.25);
    else if (event.key === "-") this.zoom(0.8);
    else if (event.key === "0") this.fit();
    else return;
    event.preventDefault();
  }

  private hover(place: number): void {
    if (place === this.hovered) return;
    this.hovered = place;
    const movable = place >= 0 && this.tool === "move" && this.events.move;
    this.canvas.classList.toggle("over-place", Boolean(movable));
    this.redraw();
  }

  // -- drawing ---------------------------------------------------------------------------------

  private draw(): void {
    this.pending = 0;
    const [context, width, height] = sharpen(this.canvas);
    context.clearRect(0, 0, width, height);
    if (this.geographic && this.tiles) this.drawTiles(context, width, height);
    else this.drawGrid(context, width, height);
    const glow = CALM.matches ? 0 : Math.max(0, 1 - (performance.now() - this.freshSince) / GLOW);
    if (glow > 0 && this.fresh.length) {
      this.drawGlow(context, glow);
      this.redraw();
    }
    const crowded = this.places.length > 250;
    for (const line of this.lines) this.drawLine(context, line, crowded);
    this.drawPlaces(context, crowded);
    this.overlay?.(context, (place) => this.onScreen(place));
    this.drawLabels(context, width, height);
  }

  private isLit(vehicle: number): boolean {
    return this.lit === null || this.lit === vehicle;
  }

  private drawLine(context: CanvasRenderingContext2D, line: Line, crowded: boolean): void {
    context.save();
    context.strokeStyle = routeColour(line.vehicle);
    context.globalAlpha = this.isLit(line.vehicle) ? 1 : 0.13;
    context.lineJoin = "round";
    context.lineCap = "round";
    const width = (crowded ? 1.5 : 2.2) * (this.lit === line.vehicle ? 1.5 : 1);
    if (line.isLongest && this.isLit(line.vehicle)) {
      context.save();
      context.globalAlpha = 0.2;
      context.lineWidth = width * 4;
      this.trace(context, line.path);
      context.restore();
    }
    context.lineWidth = width;
    context.setLineDash(routeDash(line.vehicle));
    this.trace(context, line.path);
    if (this.lit === line.vehicle) this.drawArrows(context, line.path);
    context.restore();
  }

  private trace(context: CanvasRenderingContext2D, path: number[]): void {
    context.beginPath();
    path.forEach((place, k) => {
      const [x, y] = this.onScreen(place);
      if (k) context.lineTo(x, y);
      else context.moveTo(x, y);
    });
    context.stroke();
  }

  private drawArrows(context: CanvasRenderingContext2D, path: number[]): void {
    context.setLineDash([]);
    context.fillStyle = context.strokeStyle;
    for (let k = 1; k < path.length; k++) {
      const [a, b] = [this.onScreen(path[k - 1]!), this.onScreen(path[k]!)];
      if (Math.hypot(b[0] - a[0], b[1] - a[1]) < 26) continue;
      context.save();
      context.translate((a[0] + b[0]) / 2, (a[1] + b[1]) / 2);
      context.rotate(Math.atan2(b[1] - a[1], b[0] - a[0]));
      context.beginPath();
      context.moveTo(6, 0);
      context.lineTo(-4, -4.5);
      context.lineTo(-4, 4.5);
      context.fill();
      context.restore();
    }
  }

  private drawGlow(context: CanvasRenderingContext2D, strength: number): void {
    context.save();
    context.strokeStyle = themed("--accent");
    context.globalAlpha = 0.3 * strength;
    context.lineWidth = 8;
    context.lineCap = "round";
    context.beginPath();
    for (const [u, v] of this.fresh) {
      if (u >= this.places.length || v >= this.places.length) continue;
      context.moveTo(...this.onScreen(u));
      context.lineTo(...this.onScreen(v));
    }
    context.stroke();
    context.restore();
  }

  private drawPlaces(context: CanvasRenderingContext2D, crowded: boolean): void {
    const owner = new Map<number, number>();
    for (const line of this.lines) for (const place of line.path) owner.set(place, line.vehicle);
    const paper = themed("--paper");
    const ink = themed("--ink");
    const grey = themed("--grey");
    const radius = crowded ? 2.4 : this.places.length > 120 ? 3.2 : 4.2;
    this.places.forEach((place, k) => {
      const [x, y] = this.onScreen(k);
      const vehicle = owner.get(k);
      context.globalAlpha = vehicle === undefined || this.isLit(vehicle) || place.isDepot ? 1 : 0.2;
      context.lineWidth = 1.4;
      context.strokeStyle = paper;
      context.beginPath();
      if (place.isDepot) {
        context.fillStyle = ink;
        context.roundRect(x - 6, y - 6, 12, 12, 2.5);
      } else {
        context.fillStyle = vehicle === undefined ? grey : routeColour(vehicle);
        context.arc(x, y, k === this.hovered ? radius + 2 : radius, 0, 2 * Math.PI);
      }
      context.fill();
      context.stroke();
    });
    context.globalAlpha = 1;
  }

  private drawLabels(context: CanvasRenderingContext2D, width: number, height: number): void {
    const taken: [number, number, number, number][] = [];
    const named = this.places.length <= 90;
    const order = this.places.map((_, k) => k);
    const rank = (k: number) => (k === this.hovered ? 0 : this.places[k]!.isDepot ? 1 : 2);
    order.sort((a, b) => rank(a) - rank(b));
    const lit = new Set(this.lines.find((line) => line.vehicle === this.lit)?.path);
    for (const k of order) {
      const place = this.places[k]!;
      const wanted = k === this.hovered || place.isDepot || (this.lit === null ? named : lit.has(k));
      if (!wanted || !place.label) continue;
      const [x, y] = this.onScreen(k);
      if (x < 0 || y < 0 || x > width || y > height) continue;
      context.font = `${place.isDepot || k === this.hovered ? "600 12px" : "11px"} system-ui, sans-serif`;
      const size = context.measureText(place.label).width;
      const left = x + 9 + size > width ? x - 9 - size : x + 9;
      const box: [number, number, number, number] = [left - 2, y - 8, left + size + 2, y + 8];
      const clashes = taken.some((t) => box[0] < t[2] && box[2] > t[0] && box[1] < t[3] && box[3] > t[1]);
      if (clashes && k !== this.hovered) continue;
      taken.push(box);
      context.textBaseline = "middle";
      context.lineWidth = 3;
      context.strokeStyle = themed("--paper");
      context.strokeText(place.label, left, y);
      context.fillStyle = themed(place.isDepot || k === this.hovered ? "--ink" : "--quiet");
      context.fillText(place.label, left, y);
    }
  }

  private drawGrid(context: CanvasRenderingContext2D, width: number, height: number): void {
    const step = 36;
    context.fillStyle = themed("--line");
    const [dx, dy] = [((this.origin[0] % step) + step) % step, ((this.origin[1] % step) + step) % step];
    for (let x = dx; x < width; x += step) {
      for (let y = dy; y < height; y += step) context.fillRect(x, y, 1.2, 1.2);
    }
  }

  private drawTiles(context: CanvasRenderingContext2D, width: number, height: number): void {
    const level = Math.max(0, Math.min(19, Math.round(Math.log2(this.scale / TILE))));
    const count = 2 ** level;
    const size = this.scale / count;
    const first = [Math.floor(-this.origin[0] / size), Math.floor(-this.origin[1] / size)] as const;
    context.save();
    context.globalAlpha = 0.75;
    for (let x = first[0]; x * size + this.origin[0] < width; x++) {
      for (let y = Math.max(0, first[1]); y < count && y * size + this.origin[1] < height; y++) {
        const picture = this.tile(level, ((x % count) + count) % count, y);
        if (!picture.complete || !picture.naturalWidth) continue;
        context.drawImage(
          picture,
          x * size + this.origin[0],
          y * size + this.origin[1],
          size + 0.5,
          size + 0.5,
        );
      }
    }
    context.restore();
  }

  private tile(z: number, x: number, y: number): HTMLImageElement {
    const address = this.tiles.replace("{z}", String(z)).replace("{x}", String(x)).replace("{y}", String(y));
    let picture = this.pictures.get(address);
    if (!picture) {
      picture = new Image();
      picture.onload = () => this.redraw();
      picture.src = address;
      this.pictures.set(address, picture);
      if (this.pictures.size > 400) this.pictures.delete(this.pictures.keys().next().value!);
    }
    return picture;
  }
}

function linksOf(line: Line): [number, number][] {
  return line.path.slice(1).map((place, k) => [line.path[k]!, place]);
}

const keyOf = ([u, v]: [number, number]): number => Math.min(u, v) * 1e6 + Math.max(u, v);

function toSegment([x, y]: [number, number], [ax, ay]: [number, number], [bx, by]: [number, number]): number {
  const [dx, dy] = [bx - ax, by - ay];
  const square = dx * dx + dy * dy;
  const t = square ? Math.max(0, Math.min(1, ((x - ax) * dx + (y - ay) * dy) / square)) : 0;
  return Math.hypot(x - ax - t * dx, y - ay - t * dy);
}
