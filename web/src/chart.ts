/** A value over the time of a search, falling in steps, with the bound no plan can beat. */

import { type Format, sharpen, themed } from "./look";

export interface Point {
  seconds: number;
  value: number;
}

export class Chart {
  private points: Point[] = [];
  private bound: number | null = null;
  private now = 0;
  private shown = -1;
  private format: Format = String;

  constructor(
    private readonly canvas: HTMLCanvasElement,
    private readonly title: string,
    private readonly choose: (index: number) => void,
  ) {
    new ResizeObserver(() => this.draw()).observe(canvas);
    canvas.addEventListener("pointerdown", (event) => this.pick(event));
    canvas.addEventListener("pointermove", (event) => event.buttons && this.pick(event));
  }

  show(points: Point[], bound: number | null, now: number, shown: number, format: Format): void {
    Object.assign(this, { points, bound, now, shown, format });
    this.draw();
  }

  draw(): void {
    const [context, width, height] = sharpen(this.canvas);
    context.clearRect(0, 0, width, height);
    context.font = "11px system-ui, sans-serif";
    context.fillStyle = themed("--quiet");
    context.textBaseline = "top";
    context.textAlign = "left";
    context.fillText(this.title, 0, 0);
    if (!this.points.length) return;
    const values = this.points.map((p) => p.value);
    const low = Math.min(this.bound ?? Infinity, ...values);
    const high = Math.max(...values);
    const room = Math.max(high - low, 1e-9 * Math.abs(high), 1e-12);
    const [top, bottom] = [20, height - (this.bound === null ? 18 : 26)];
    const y = (value: number) => bottom - ((value - low + 0.06 * room) / (1.12 * room)) * (bottom - top);
    const x = (seconds: number) => this.across(seconds, width);

    context.strokeStyle = themed("--line");
    context.lineWidth = 1;
    context.beginPath();
    for (const tick of ticks(this.last())) {
      context.moveTo(x(tick), top);
      context.lineTo(x(tick), bottom);
      context.textAlign = "center";
      context.fillText(`${tick} s`, Math.min(x(tick), width - 14), height - 12);
    }
    context.stroke();
    if (this.bound !== null) {
      context.setLineDash([4, 3]);
      context.strokeStyle = themed("--quiet");
      context.beginPath();
      context.moveTo(0, y(this.bound));
      context.lineTo(width, y(this.bound));
      context.stroke();
      context.setLineDash([]);
      context.textAlign = "left";
      context.fillText(`bound ${this.format(this.bound)}`, 2, y(this.bound) + 3);
    }
    context.strokeStyle = themed("--accent");
    context.lineWidth = 2;
    context.lineJoin = "round";
    context.beginPath();
    this.points.forEach((point, k) => {
      const at = x(point.seconds);
      if (k) context.lineTo(at, y(this.points[k - 1]!.value));
      context[k ? "lineTo" : "moveTo"](at, y(point.value));
    });
    context.lineTo(x(this.last()), y(values.at(-1)!));
    context.stroke();
    const chosen = this.points[this.shown];
    if (chosen) {
      context.fillStyle = themed("--accent");
      context.beginPath();
      context.arc(x(chosen.seconds), y(chosen.value), 4, 0, 2 * Math.PI);
      context.fill();
    }
    context.textAlign = "right";
    context.fillStyle = themed("--ink");
    context.fillText(this.format((chosen ?? this.points.at(-1)!).value), width, 0);
  }

  private last(): number {
    return Math.max(this.now, this.points.at(-1)?.seconds ?? 0, 0.1);
  }

  /** Logarithmic, as most is gained early. */
  private across(seconds: number, width: number): number {
    return ((width - 6) * Math.log1p(seconds / EARLY)) / Math.log1p(this.last() / EARLY) + 3;
  }

  private pick(event: PointerEvent): void {
    const left = event.clientX - this.canvas.getBoundingClientRect().left;
    let found = 0;
    this.points.forEach((point, k) => {
      if (this.across(point.seconds, this.canvas.clientWidth) <= left + 3) found = k;
    });
    if (this.points.length) this.choose(found);
  }
}

/** Seconds up to which time is nearly linear on the axis. */
const EARLY = 0.05;

function ticks(last: number): number[] {
  return [0.1, 1, 10, 60, 300, 1800].filter((tick) => tick <= last * 1.001);
}
