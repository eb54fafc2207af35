/** One search as the page shows it: the map, the figures, the balance of the vehicles, the course over time. */

import {
  type Best,
  follow,
  job,
  type Options,
  Refused,
  type StartRoute,
  type State,
  stop,
  submit,
} from "./api";
import { Chart } from "./chart";
import { type Instance, isGeographic, nodesOf, requestOf } from "./instance";
import { element, find, type Format, lengthFormat, percent, routeColour } from "./look";
import { type Line, type MapEvents, MapView } from "./map";

/** A best plan, and the job whose event told of it. */
export interface Found extends Best {
  job: string;
}

type Standing = State | "ready" | "sending";

export class Run {
  readonly root: HTMLElement;
  readonly map: MapView;
  found: Found[] = [];
  standing: Standing = "ready";
  jobId = "";
  private instance!: Instance;
  private index = new Map<string, number>();
  private shown = -1;
  lit: number | null = null;
  private elapsed = 0;
  private startedAt = 0;
  private seconds = 0;
  private bound: number | null = null;
  private proven = false;
  private error = "";
  private abort = new AbortController();
  private ticking = 0;
  private queued = 0;
  private readonly charts: { longest: Chart; total: Chart };

  constructor(
    private readonly changed: () => void,
    events: MapEvents,
  ) {
    this.root = (find<HTMLTemplateElement>("#run").content.cloneNode(true) as DocumentFragment)
      .firstElementChild as HTMLElement;
    this.map = new MapView(this.part<HTMLCanvasElement>(".map canvas"), {
      ...events,
      pick: (vehicle) => this.light(vehicle === this.lit ? null : vehicle),
    });
    this.charts = {
      longest: new Chart(this.part(".chart.longest"), "longest route", (k) => this.look(k)),
      total: new Chart(this.part(".chart.total"), "total", (k) => this.look(k)),
    };
    const history = this.part<HTMLInputElement>(".history input");
    history.addEventListener("input", () => this.look(Number(history.value)));
  }

  /** The plan that is looked at: the last, unless somebody went back in time. */
  get best(): Found | undefined {
    return this.found.at(this.shown);
  }

  get isBusy(): boolean {
    return ["sending", "queued", "running"].includes(this.standing);
  }

  /** Routes to start from: those now shown, less what is no longer there. */
  get plan(): StartRoute[] | undefined {
    return this.best?.routes.map(({ vehicle, stops }) => ({
      vehicle,
      stops: stops.filter((id) => this.index.has(id)),
    }));
  }

  set title(text: string) {
    this.part(".method").textContent = text;
  }

  show(instance: Instance, keepView: boolean): void {
    this.instance = instance;
    const nodes = nodesOf(instance.document);
    const { depots } = instance.document;
    this.index = new Map(nodes.map((node, k) => [node.id, k]));
    const geographic = isGeographic(instance.document);
    const circle = (k: number): [number, number] => {
      if (k < depots.length) return [50, 50];
      const angle = (2 * Math.PI * (k - depots.length)) / Math.max(1, nodes.length - depots.length);
      return [50 + 40 * Math.sin(angle), 50 + 40 * Math.cos(angle)];
    };
    const places = nodes.map((node, k) => ({
      id: node.id,
      label: node.name || node.id,
      isDepot: k < depots.length,
      at: geographic
        ? ([node.lon!, node.lat!] as [number, number])
        : node.x === undefined
          ? circle(k)
          : ([node.x, node.y!] as [number, number]),
    }));
    this.map.show(places, geographic, keepView);
    this.part(".hint").hidden = places.length > 0;
    this.draw();
  }

  /** Forget the plans. */
  clear(): void {
    this.abort.abort();
    this.found = [];
    this.shown = -1;
    this.elapsed = 0;
    this.bound = null;
    this.proven = false;
    this.error = "";
    this.lit = null;
    this.map.light(null);
    this.set("ready");
  }

  /** Search; with `from` the curve goes on, without it begins anew. */
  async solve(options: Options, from?: StartRoute[]): Promise<void> {
    if (!from) this.clear();
    this.abort.abort();
    this.abort = new AbortController();
    this.error = "";
    this.shown = -1;
    const { signal } = this.abort;
    const before = this.elapsed;
    this.seconds = options.seconds ?? 10;
    this.set("sending");
    try {
      const [document, rules] = requestOf({ ...this.instance, options });
      const sent = await submit(document, rules, from);
      this.jobId = sent.id;
      this.startedAt = performance.now() - 1000 * before;
      this.set("running");
      this.tick();
      const state = await follow(sent.id, (best) => this.add(best, sent.id, before), signal);
      const ended = await job(sent.id);
      if (ended.best) {
        this.bound = ended.best.lower_bound;
        this.proven = ended.best.optimal;
      }
      if (ended.started && ended.ended) this.elapsed = before + ended.ended - ended.started;
      this.error = ended.error ?? "";
      this.set(state);
    } catch (error) {
      if (signal.aborted) return;
      this.error = error instanceof Refused ? error.message : String(error);
      this.set("failed");
    }
  }

  async stop(): Promise<void> {
    if (this.isBusy && this.jobId) await stop(this.jobId);
  }

  light(vehicle: number | null): void {
    this.lit = vehicle;
    this.map.light(vehicle);
    this.drawBars();
  }

  /** Look at an earlier plan. */
  look(k: number): void {
    this.shown = k >= this.found.length - 1 ? -1 : k;
    this.draw();
    this.changed();
  }

  /** Draw again, as after a change of theme. */
  draw(): void {
    this.queued = 0;
    this.drawRoutes();
    this.drawFigures();
    this.drawBars();
    this.drawCharts();
  }

  private add(best: Best, id: string, before: number): void {
    this.found.push({ ...best, job: id, seconds: before + best.seconds });
    this.bound = Math.max(best.lower_bound, this.bound ?? 0);
    this.proven = best.optimal;
    this.standing = "running";
    if (!this.queued) this.queued = requestAnimationFrame(() => this.draw());
    if (this.found.length === 1) this.changed();
  }

  private set(standing: Standing): void {
    this.standing = standing;
    this.draw();
    this.changed();
  }

  private tick(): void {
    clearTimeout(this.ticking);
    if (this.standing !== "running") return;
    this.elapsed = (performance.now() - this.startedAt) / 1000;
    this.drawCharts();
    this.drawState();
    this.ticking = window.setTimeout(() => this.tick(), 100);
  }

  private part<T extends Element = HTMLElement>(selector: string): T {
    return find<T>(selector, this.root);
  }

  private get format(): Format {
    return lengthFormat(isGeographic(this.instance.document), this.best?.makespan ?? 1);
  }

  private get isMinsum(): boolean {
    return (this.instance.options.objective ?? "") === "minsum";
  }

  private drawRoutes(): void {
    this.map.route(this.best ? linesOf(this.best, this.index) : []);
  }

  private drawFigures(): void {
    const { best, format } = this;
    const value = best && (this.isMinsum ? best.total : best.makespan);
    const gap = best?.feasible && this.bound !== null && value ? (value - this.bound) / value : null;
    const optimal = this.proven && this.shown === -1;
    const words: Record<string, string> = {
      longest: best ? format(best.makespan) : "–",
      total: best ? format(best.total) : "–",
      bound: this.bound !== null && best ? format(this.bound) : "–",
      gap: optimal ? "optimal" : gap !== null ? percent(Math.max(0, gap)) : "–",
    };
    for (const [name, text] of Object.entries(words)) this.part(`.figures .${name} dd`).textContent = text;
    this.drawState();
    const history = this.part<HTMLInputElement>(".history input");
    history.max = String(Math.max(0, this.found.length - 1));
    history.value = String(this.shown === -1 ? this.found.length - 1 : this.shown);
    history.disabled = this.found.length < 2;
    this.part(".history output").textContent = best
      ? `plan ${(this.shown === -1 ? this.found.length - 1 : this.shown) + 1} of ${this.found.length}`
      : "";
    this.root.dataset.plans = String(this.found.length);
    this.root.dataset.state = this.standing;
  }

  private drawState(): void {
    const best = this.found.at(-1);
    const spent = `${this.elapsed.toFixed(1)} s`;
    const words: Record<Standing, string> = {
      ready: "ready",
      sending: "sending …",
      queued: "waiting for a free process …",
      running: `searching, ${spent} of ${(this.startedBefore + this.seconds).toFixed(0)} s`,
      finished: `finished after ${spent}`,
      stopped: `stopped after ${spent}, the best is kept`,
      failed: this.error,
    };
    const broken = best && !best.feasible && !this.isBusy ? `: ${best.violations[0]}` : "";
    this.part(".state").textContent = words[this.standing] + broken;
    this.part(".state").classList.toggle("bad", this.standing === "failed" || Boolean(broken));
  }

  private get startedBefore(): number {
    const first = this.found.findIndex((best) => best.job === this.jobId);
    return first > 0 ? this.found[first - 1]!.seconds : 0;
  }

  private drawBars(): void {
    const list = this.part(".bars");
    const routes = this.best?.routes ?? [];
    const longest = Math.max(0, ...routes.map((route) => route.length));
    const isBounded = !this.isMinsum && this.bound !== null && this.bound <= longest * 1.000001;
    const bound = isBounded && longest ? this.bound! / longest : null;
    const { format } = this;
    while (list.children.length > routes.length) list.lastElementChild!.remove();
    while (list.children.length < routes.length) list.append(this.bar());
    routes.forEach((route, k) => {
      const button = list.children[k]!.firstElementChild as HTMLButtonElement;
      button.dataset.vehicle = String(route.vehicle);
      button.setAttribute("aria-pressed", String(this.lit === route.vehicle));
      button.classList.toggle("dim", this.lit !== null && this.lit !== route.vehicle);
      button.classList.toggle("longest", route.length === longest && longest > 0);
      const [name, fill, stops, length] = button.children as unknown as HTMLElement[];
      name!.textContent = String(route.vehicle);
      const inner = fill!.firstElementChild as HTMLElement;
      inner.style.width = `${longest ? (100 * route.length) / longest : 0}%`;
      inner.style.background = routeColour(route.vehicle);
      if (bound !== null) fill!.style.setProperty("--bound", `${100 * bound}%`);
      fill!.classList.toggle("bounded", bound !== null);
      stops!.textContent = String(route.stops.length);
      length!.textContent = format(route.length);
      const ends =
        route.end === null
          ? "open"
          : route.end === route.start
            ? route.start
            : `${route.start} to ${route.end}`;
      button.title = `Vehicle ${route.vehicle}: ${route.stops.length} stops, ${format(route.length)}, ${ends}`;
      button.setAttribute("aria-label", button.title);
    });
  }

  private bar(): HTMLLIElement {
    const button = element(
      "button",
      { type: "button", class: "bar" },
      element("span", { class: "name" }),
      element("span", { class: "fill" }, element("i")),
      element("span", { class: "stops" }),
      element("span", { class: "length" }),
    );
    button.addEventListener("click", () => {
      const vehicle = Number(button.dataset.vehicle);
      this.light(vehicle === this.lit ? null : vehicle);
    });
    return element("li", {}, button);
  }

  private drawCharts(): void {
    const shown = this.shown === -1 ? this.found.length - 1 : this.shown;
    const curve = (value: (best: Found) => number) =>
      this.found.map((best) => ({ seconds: best.seconds, value: value(best) }));
    const { format, isMinsum, bound, elapsed } = this;
    this.charts.longest.show(
      curve((b) => b.makespan),
      isMinsum ? null : bound,
      elapsed,
      shown,
      format,
    );
    this.charts.total.show(
      curve((b) => b.total),
      isMinsum ? bound : null,
      elapsed,
      shown,
      format,
    );
  }
}

export function linesOf(best: Pick<Found, "routes">, index: Map<string, number>): Line[] {
  const longest = Math.max(...best.routes.map((route) => route.length));
  return best.routes
    .filter((route) => route.stops.length)
    .map((route) => ({
      vehicle: route.vehicle,
      isLongest: route.length >= longest,
      path: [route.start, ...route.stops, ...(route.end === null ? [] : [route.end])]
        .map((id) => index.get(id))
        .filter((place) => place !== undefined),
    }));
}
