/** What is to be solved, as the page holds it: places that can be edited, and the options beside them. */

import deliveries from "../../examples/deliveries.csv?raw";
import switzerland from "../../examples/switzerland.csv?raw";
import { type Fleet, type Node, type Options, type ProblemDocument, Refused, read } from "./api";

export interface Instance {
  /** Depots, cities, distances; vehicles only where a file lists a fleet that the options cannot say. */
  document: ProblemDocument;
  options: Options;
  /** Where it came from, if a link can say it in a word. */
  origin?: Origin;
}

export type Origin = { example: string } | { random: [cities: number, depots: number, seed: number] };

export const DEFAULTS: Options = { seconds: 10, seed: 1 };

interface Example {
  title: string;
  make(): Promise<Instance>;
}

export const EXAMPLES: Record<string, Example> = {
  switzerland: {
    title: "Swiss towns, three depots",
    make: () => fromText(switzerland, { problem: "fmdvrp", vehicles: 6 }),
  },
  deliveries: {
    title: "Deliveries with loads",
    make: () => fromText(deliveries, { problem: "cvrp", capacity: 30, objective: "minmax", vehicles: 5 }),
  },
  world: {
    title: "An empty map of the world",
    make: async () => ({
      ...empty(),
      document: { neurocross: 1, metric: "haversine", depots: [], cities: [] },
    }),
  },
  ones: {
    title: "20 stops, all distances 1",
    make: async () => allOnes(20),
  },
};

/** Cities in a square, the same for the same three numbers. */
export function random(cities: number, depots: number, seed: number): Instance {
  const next = generator(seed);
  const place = (id: string): Node => ({ id, x: round(100 * next()), y: round(100 * next()) });
  const document: ProblemDocument = {
    neurocross: 1,
    depots: Array.from({ length: depots }, (_, k) => place(`D${k + 1}`)),
    cities: Array.from({ length: cities }, (_, k) => place(String(k + 1))),
  };
  const problem = depots > 1 ? "fmdvrp" : "mtsp";
  const options = { problem, vehicles: Math.max(2, Math.min(12, Math.round(cities / 15))) };
  return { document, options, origin: { random: [cities, depots, seed] } };
}

export async function fromOrigin(origin: Origin): Promise<Instance> {
  if ("random" in origin) return random(...origin.random);
  const example = EXAMPLES[origin.example];
  if (!example) throw new Refused(`there is no example '${origin.example}'`, 0);
  return { ...(await example.make()), origin };
}

export function empty(): Instance {
  return { document: { neurocross: 1, depots: [], cities: [] }, options: { vehicles: 3 } };
}

/** Any file the service reads; one that does not say how many vehicles there are gets five. */
export async function fromText(text: string, options: Options = {}): Promise<Instance> {
  try {
    return withOptions(await read(text, options), options);
  } catch (error) {
    if (error instanceof Refused && error.message.includes("give --vehicles") && !options.vehicles) {
      return fromText(text, { ...options, vehicles: 5 });
    }
    throw error;
  }
}

/** Say a problem as places and options, unless its vehicles differ from one another. */
function withOptions(document: ProblemDocument, given: Options): Instance {
  const fleet = document.vehicles ?? [];
  const starts = fleet.flatMap((group) => Array<string>(group.count ?? 1).fill(group.start));
  const first = fleet[0];
  if (!first || !alike(fleet) || !inTurn(starts, document.depots)) {
    return { document, options: {} };
  }
  const { vehicles: _, problem, objective, unlimited_fleet, ...places } = document;
  const named = problem === "general" ? undefined : problem;
  return {
    document: places,
    options: {
      ...given,
      problem: named ?? (document.depots.length > 1 ? (first.end === "any" ? "fmdvrp" : "mdvrp") : "mtsp"),
      vehicles: unlimited_fleet ? undefined : starts.length,
      objective,
      capacity: first.capacity,
      max_length: first.max_length,
      end: Array.isArray(first.end) ? first.end.join(",") : first.end,
    },
  };
}

function alike(fleet: Fleet[]): boolean {
  const rules = fleet.map((v) => JSON.stringify([v.end, v.capacity, v.max_length, v.name]));
  return new Set(rules).size === 1 && !fleet[0]!.name;
}

function inTurn(starts: string[], depots: Node[]): boolean {
  const turn = starts.map((_, k) => depots[k % depots.length]!.id);
  return JSON.stringify([...turn].sort()) === JSON.stringify([...starts].sort());
}

/** The request's instance and options; end rules that the problem implies are left out. */
export function requestOf({ document, options }: Instance): [ProblemDocument, Options] {
  const { end, ...rest } = options;
  const implied = end === undefined || end === (options.problem === "fmdvrp" ? "any" : "own");
  const clean = Object.entries(implied ? rest : { ...rest, end }).filter(([, v]) => v !== undefined);
  return [document, Object.fromEntries(clean)];
}

export const nodesOf = (document: ProblemDocument): Node[] => [...document.depots, ...document.cities];

/** Whether places have latitude and longitude, or will have. */
export const isGeographic = (document: ProblemDocument): boolean =>
  document.metric === "haversine" || nodesOf(document).some((node) => node.lat !== undefined);

export function freeId(document: ProblemDocument, prefix: string): string {
  const taken = new Set(nodesOf(document).map((node) => node.id));
  let k = 1;
  while (taken.has(`${prefix}${k}`)) k++;
  return `${prefix}${k}`;
}

function allOnes(stops: number): Instance {
  const size = stops + 1;
  const circle = (k: number): Node => {
    const angle = (2 * Math.PI * k) / stops;
    return { id: String(k), x: round(50 + 40 * Math.sin(angle)), y: round(50 + 40 * Math.cos(angle)) };
  };
  return {
    document: {
      neurocross: 1,
      depots: [{ id: "0", name: "depot", x: 50, y: 50 }],
      cities: Array.from({ length: stops }, (_, k) => circle(k + 1)),
      matrix: Array.from({ length: size }, (_, u) =>
        Array.from({ length: size }, (_, v) => (u === v ? 0 : 1)),
      ),
    },
    options: { problem: "mtsp", vehicles: 5 },
  };
}

const round = (value: number) => Math.round(value * 100) / 100;

/** mulberry32: small, and the same in every browser. */
function generator(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}
