/** The operator inspector: what every CROSS exchange between two tours would gain, and one of them played. */

import { exchanges, type Inspection, type InspectQuery, type Pick, Refused, type Route } from "./api";
import { type Instance, isGeographic } from "./instance";
import { element, find, type Format, lengthFormat, routeColour, sharpen, themed } from "./look";
import { type Line, MapView, type Overlay, type Place } from "./map";
import { linesOf, type Run } from "./run";

const PHASE = 1100;

export class Inspector {
  private readonly dialog = find<HTMLDialogElement>("#inspector");
  private readonly map = new MapView(find<HTMLCanvasElement>("#inspector .map canvas"));
  private readonly trueMap: HeatMap;
  private readonly seenMap: HeatMap;
  private run!: Run;
  private instance!: Instance;
  private seen: Inspection | null = null;
  private pick: Pick | null = null;
  private playing = 0;

  constructor() {
    const choose = (a1: number, a2: number) => void this.load({ ...this.tours(), a1, a2 });
    this.trueMap = new HeatMap(find("#heat-true"), choose);
    this.seenMap = new HeatMap(find("#heat-predicted"), choose);
    for (const id of ["#tour-1", "#tour-2", "#top-k"]) {
      find(id).addEventListener("change", () => void this.load(this.tours()));
    }
    find("#inspected-plan").addEventListener("change", () => void this.load());
    find("#play").addEventListener("click", () => this.play());
    find("#inspector .close").addEventListener("click", () => this.dialog.close());
    this.dialog.addEventListener("close", () => this.rest());
  }

  async open(run: Run, instance: Instance): Promise<void> {
    const best = run.best;
    if (!best) return;
    this.run = run;
    this.instance = instance;
    for (const id of ["#tour-1", "#tour-2"]) {
      find<HTMLSelectElement>(id).replaceChildren(
        ...best.routes.map(({ vehicle }) => element("option", { value: vehicle }, `vehicle ${vehicle}`)),
      );
    }
    this.dialog.showModal();
    await this.load();
  }

  redraw(): void {
    if (this.dialog.open) this.draw();
  }

  private tours(): { first: number; second: number } {
    const [first, second] = ["#tour-1", "#tour-2"].map((id) => Number(find<HTMLSelectElement>(id).value));
    return { first: first!, second: second! };
  }

  /** Ask the service; without tours it chooses the longest and the one that gains most with it. */
  private async load(choice: Omit<InspectQuery, "event" | "top"> = {}): Promise<void> {
    this.rest();
    const best = this.run.best!;
    const isFirst = find<HTMLSelectElement>("#inspected-plan").value === "first";
    const query: InspectQuery = {
      event: isFirst ? 0 : best.number,
      top: Math.max(1, Math.min(100, Number(find<HTMLInputElement>("#top-k").value) || 10)),
      ...choice,
    };
    const message = find("#inspector .message");
    message.classList.remove("bad");
    message.textContent = "looking …";
    try {
      this.seen = await exchanges(best.job, query);
      this.pick = this.seen.chosen ?? this.seen.best ?? null;
      find<HTMLSelectElement>("#tour-1").value = String(this.seen.first);
      find<HTMLSelectElement>("#tour-2").value = String(this.seen.second);
      message.textContent = this.sentence();
    } catch (error) {
      this.seen = this.pick = null;
      message.textContent = error instanceof Refused ? error.message : String(error);
      message.classList.add("bad");
    }
    this.draw();
  }

  private get format(): Format {
    return lengthFormat(isGeographic(this.instance.document), this.seen?.cost ?? 1);
  }

  private sentence(): string {
    const { seen, pick, format } = this;
    if (!seen) return "";
    if (!pick || pick.gain <= 0) {
      return seen.best
        ? "No exchange that starts here gains anything."
        : "Nothing to gain: these two tours cannot be improved by any CROSS exchange.";
    }
    const moved = (n: number) => (n === 1 ? "1 city" : `${n} cities`);
    return (
      `Start after stop ${pick.a1} of vehicle ${seen.first} and after stop ${pick.a2} of vehicle ${seen.second}: ` +
      `${moved(pick.b1 - pick.a1)} against ${moved(pick.b2 - pick.a2)} gains ${format(pick.gain)} of ${format(seen.cost)}.`
    );
  }

  private draw(): void {
    const { seen, pick, format } = this;
    find("#predicted-figure").classList.toggle("absent", !seen?.predicted);
    find("#predicted-figure .missing").textContent = seen?.unpredicted ?? "";
    this.trueMap.show(seen?.gains ?? [], seen?.picks ?? [], pick, format);
    this.seenMap.show(seen?.predicted ?? [], seen?.picks ?? [], pick, format);
    find<HTMLButtonElement>("#play").disabled = !pick || pick.gain <= 0;
    find("#picks").replaceChildren(
      ...(seen?.picks ?? []).map((each, k) => {
        const words = [`${k + 1}`, `(${each.a1}, ${each.a2})`];
        if (each.predicted !== null) words.push(format(each.predicted));
        words.push(format(each.gain));
        const button = element(
          "button",
          { type: "button", "aria-pressed": String(samePair(each, pick)) },
          ...words.map((word) => element("span", {}, word)),
        );
        button.addEventListener("click", () => {
          this.rest();
          this.pick = each;
          find("#inspector .message").textContent = this.sentence();
          this.draw();
        });
        return element("li", {}, button);
      }),
    );
    this.drawTours();
  }

  /** The places of the two tours, and their numbers on the map. */
  private places(): [Place[], Map<string, number>] {
    const { document } = this.instance;
    const used = new Set(this.seen?.routes.flatMap(stopsOf));
    const geographic = isGeographic(document);
    const places = [...document.depots, ...document.cities].flatMap((node, k): Place[] => {
      const plane: [number, number] =
        node.x === undefined ? [40 * Math.sin(k), 40 * Math.cos(k)] : [node.x, node.y!];
      const at: [number, number] = geographic ? [node.lon!, node.lat!] : plane;
      const label = used.size > 60 ? "" : node.name || node.id;
      return used.has(node.id) ? [{ id: node.id, label, at, isDepot: k < document.depots.length }] : [];
    });
    return [places, new Map(places.map((place, k) => [place.id, k]))];
  }

  private drawTours(): void {
    const [places, index] = this.places();
    this.map.show(places, isGeographic(this.instance.document));
    this.map.route(linesOf({ routes: sided(this.seen?.routes ?? []) }, index));
    this.map.over(this.pick && this.pick.gain > 0 ? this.cuts(index) : null);
  }

  /** The pieces that change sides, broad, and the links that go, dashed. */
  private cuts(index: Map<string, number>): Overlay {
    const { one, two, a1, b1, a2, b2 } = this.exchange();
    return (context, point) => {
      const at = (id: string) => point(index.get(id)!);
      context.save();
      context.lineCap = "round";
      context.lineWidth = 9;
      context.globalAlpha = 0.35;
      for (const [tour, from, to, vehicle] of [
        [one, a1, b1, 1],
        [two, a2, b2, 2],
      ] as const) {
        context.strokeStyle = routeColour(vehicle);
        context.beginPath();
        tour.slice(from + 1, to + 1).forEach((id, k) => context[k ? "lineTo" : "moveTo"](...at(id)));
        context.stroke();
      }
      context.globalAlpha = 1;
      context.lineWidth = 3;
      context.strokeStyle = themed("--bad");
      context.setLineDash([4, 5]);
      for (const [tour, k] of [
        [one, a1],
        [one, b1],
        [two, a2],
        [two, b2],
      ] as const) {
        if (tour[k + 1] !== undefined) stroke(context, at(tour[k]!), at(tour[k + 1]!), 1);
      }
      context.restore();
    };
  }

  /** The links that come, growing. */
  private joins(index: Map<string, number>, share: number): Overlay {
    const { one, two, a1, b1, a2, b2 } = this.exchange();
    const links = [
      [one[a1], a2 === b2 ? one[b1 + 1] : two[a2 + 1]],
      [two[a2], a1 === b1 ? two[b2 + 1] : one[a1 + 1]],
      [a2 === b2 ? undefined : two[b2], one[b1 + 1]],
      [a1 === b1 ? undefined : one[b1], two[b2 + 1]],
    ];
    return (context, point) => {
      context.save();
      context.lineCap = "round";
      context.lineWidth = 3.5;
      context.strokeStyle = themed("--good");
      for (const [from, to] of links) {
        if (from !== undefined && to !== undefined) {
          stroke(context, point(index.get(from)!), point(index.get(to)!), share);
        }
      }
      context.restore();
    };
  }

  private exchange() {
    const [one, two] = this.seen!.routes.map(stopsOf);
    return { one: one!, two: two!, ...this.pick! };
  }

  /** Cut, reconnect, and show both tours as they then are. */
  private play(): void {
    const { seen, pick } = this;
    if (!seen || !pick) return;
    this.rest();
    this.drawTours();
    const [, index] = this.places();
    const { one, two, a1, b1, a2, b2 } = this.exchange();
    const pieces = (tour: string[], a: number, b: number, vehicle: number): Line[] =>
      [tour.slice(0, a + 1), tour.slice(a + 1, b + 1), tour.slice(b + 1)].map((piece) => ({
        vehicle,
        isLongest: false,
        path: piece.map((id) => index.get(id)!),
      }));
    const apart = [...pieces(one, a1, b1, 1), ...pieces(two, a2, b2, 2)];
    const began = performance.now();
    let isApart = false;
    const frame = () => {
      const phase = (performance.now() - began) / PHASE;
      if (phase >= 2) {
        this.map.over(null);
        this.map.route(linesOf({ routes: sided(exchanged(seen, pick)) }, index));
        this.dialog.dataset.played = "yes";
        return;
      }
      if (phase >= 1) {
        if (!isApart) this.map.route(apart);
        isApart = true;
        this.map.over(this.joins(index, phase - 1));
      }
      this.playing = requestAnimationFrame(frame);
    };
    delete this.dialog.dataset.played;
    frame();
  }

  private rest(): void {
    cancelAnimationFrame(this.playing);
    this.playing = 0;
  }
}

/** Both tours after an exchange; their lengths are not needed to draw them. */
function exchanged(seen: Inspection, { a1, b1, a2, b2 }: Pick): Route[] {
  const one = seen.routes.find((route) => route.vehicle === seen.first)!;
  const two = seen.routes.find((route) => route.vehicle === seen.second)!;
  return [
    { ...one, stops: [...one.stops.slice(0, a1), ...two.stops.slice(a2, b2), ...one.stops.slice(b1)] },
    { ...two, stops: [...two.stops.slice(0, a2), ...one.stops.slice(a1, b1), ...two.stops.slice(b2)] },
  ];
}

/** Tour 1 and tour 2, in colours that differ whatever the vehicles. */
const sided = (routes: Route[]): Route[] => routes.map((route, k) => ({ ...route, vehicle: k + 1 }));

const stopsOf = (route: Route): string[] => [
  route.start,
  ...route.stops,
  ...(route.end === null ? [] : [route.end]),
];

function stroke(
  context: CanvasRenderingContext2D,
  from: [number, number],
  to: [number, number],
  share: number,
): void {
  context.beginPath();
  context.moveTo(...from);
  context.lineTo(from[0] + share * (to[0] - from[0]), from[1] + share * (to[1] - from[1]));
  context.stroke();
}

const samePair = (a: Pick, b: Pick | null): boolean => b !== null && a.a1 === b.a1 && a.a2 === b.a2;

/** Gains over (a1, a2) as colours; picked pairs are ringed. */
class HeatMap {
  private gains: number[][] = [];
  private picks: Pick[] = [];
  private pick: Pick | null = null;
  private format: Format = String;
  private readonly note: HTMLElement;

  constructor(
    private readonly canvas: HTMLCanvasElement,
    choose: (a1: number, a2: number) => void,
  ) {
    this.note = find("output", canvas.parentElement!);
    new ResizeObserver(() => this.draw()).observe(canvas);
    canvas.addEventListener("click", (event) => {
      const cell = this.cellAt(event);
      if (cell) choose(...cell);
    });
    canvas.addEventListener("pointermove", (event) => {
      const cell = this.cellAt(event);
      const gain = cell && this.gains[cell[0]]![cell[1]]!;
      this.note.textContent = cell ? `a1 = ${cell[0]}, a2 = ${cell[1]}: ${this.format(gain!)}` : "";
    });
  }

  show(gains: number[][], picks: Pick[], pick: Pick | null, format: Format): void {
    Object.assign(this, { gains, picks, pick, format });
    this.draw();
  }

  private cellAt(event: MouseEvent): [number, number] | null {
    const box = this.canvas.getBoundingClientRect();
    const [rows, columns] = [this.gains.length, this.gains[0]?.length ?? 0];
    const a1 = Math.floor(((event.clientY - box.top) / box.height) * rows);
    const a2 = Math.floor(((event.clientX - box.left) / box.width) * columns);
    return a1 >= 0 && a1 < rows && a2 >= 0 && a2 < columns ? [a1, a2] : null;
  }

  private draw(): void {
    const [context, width, height] = sharpen(this.canvas);
    context.clearRect(0, 0, width, height);
    const [rows, columns] = [this.gains.length, this.gains[0]?.length ?? 0];
    if (!rows || !columns) return;
    const most = Math.max(1e-12, ...this.gains.flat());
    const [w, h] = [width / columns, height / rows];
    this.gains.forEach((row, a1) =>
      row.forEach((gain, a2) => {
        context.fillStyle = heat(Math.max(0, gain) / most);
        context.fillRect(a2 * w, a1 * h, w + 0.6, h + 0.6);
      }),
    );
    const ring = ({ a1, a2 }: Pick, colour: string, line: number) => {
      context.strokeStyle = colour;
      context.lineWidth = line;
      const radius = Math.max(4, Math.min(w, h) / 2 + 1);
      context.beginPath();
      context.arc((a2 + 0.5) * w, (a1 + 0.5) * h, radius, 0, 2 * Math.PI);
      context.stroke();
    };
    for (const each of this.picks) ring(each, "#ffffff", 1.5);
    if (this.pick) ring(this.pick, "#ff5a36", 3);
  }
}

/** Dark blue to yellow, even for every kind of colour blindness. */
function heat(share: number): string {
  const stops = [
    [24, 26, 58],
    [52, 61, 122],
    [83, 110, 142],
    [134, 152, 118],
    [205, 187, 82],
    [255, 228, 92],
  ];
  const at = share * (stops.length - 1);
  const k = Math.min(stops.length - 2, Math.floor(at));
  const mix = stops[k]!.map((from, i) => Math.round(from + (at - k) * (stops[k + 1]![i]! - from)));
  return `rgb(${mix.join(",")})`;
}
