/** The service as the page sees it. Streams are read with fetch, so that they can carry a token. */

export interface Node {
  id: string;
  name?: string;
  x?: number;
  y?: number;
  lat?: number;
  lon?: number;
  demand?: number;
  service?: number;
}

export interface Fleet {
  count?: number;
  start: string;
  end?: string | string[];
  capacity?: number;
  max_length?: number;
  name?: string;
}

/** A problem in the service's own JSON. */
export interface ProblemDocument {
  neurocross: 1;
  problem?: string;
  name?: string;
  objective?: string;
  metric?: string;
  rounding?: string;
  unlimited_fleet?: boolean;
  vehicles?: Fleet[];
  depots: Node[];
  cities: Node[];
  matrix?: number[][];
}

export interface Options {
  problem?: string;
  vehicles?: number;
  objective?: string;
  capacity?: number;
  max_length?: number;
  end?: string;
  method?: string;
  seconds?: number;
  seed?: number;
}

export interface Route {
  vehicle: number;
  start: string;
  end: string | null;
  stops: string[];
  length: number;
  load: number;
}

export interface Figures {
  seconds: number;
  iteration: number;
  makespan: number;
  total: number;
  lower_bound: number;
  gap: number;
  optimal: boolean;
  feasible: boolean;
  violations: string[];
}

export interface Best extends Figures {
  number: number;
  routes: Route[];
}

export type State = "queued" | "running" | "finished" | "stopped" | "failed";

export interface Job {
  id: string;
  state: State;
  best: Figures | null;
  error: string | null;
  started: number | null;
  ended: number | null;
  about: { problem: string; objective: string; cities: number; vehicles: number };
}

export interface Info {
  version: string;
  methods: string[];
  default_method: string;
  solution_formats: string[];
  limits: { cities: number; seconds: number };
  tiles: string;
}

export interface Pick {
  a1: number;
  b1: number;
  a2: number;
  b2: number;
  predicted: number | null;
  gain: number;
}

export interface Inspection {
  first: number;
  second: number;
  cost: number;
  routes: Route[];
  gains: number[][];
  predicted: number[][] | null;
  unpredicted: string | null;
  picks: Pick[];
  best: Pick | null;
  chosen: Pick | null;
}

/** What the service refused, in its own sentence. */
export class Refused extends Error {
  constructor(
    message: string,
    readonly status: number,
  ) {
    super(message);
  }
}

let askForToken: () => Promise<string> = () => Promise.reject(new Refused("a token is needed", 401));

export function onTokenNeeded(ask: () => Promise<string>): void {
  askForToken = ask;
}

async function request(path: string, init: RequestInit = {}): Promise<Response> {
  for (;;) {
    const headers = new Headers(init.headers);
    const token = sessionStorage.getItem("token");
    if (token) headers.set("Authorization", `Bearer ${token}`);
    let response: Response;
    try {
      response = await fetch(path, { ...init, headers });
    } catch (error) {
      if (error instanceof DOMException && error.name === "AbortError") throw error;
      throw new Refused("the service does not answer: is it still running?", 0);
    }
    if (response.status === 401) {
      sessionStorage.setItem("token", await askForToken());
      continue;
    }
    if (response.ok) return response;
    const body = await response.json().catch(() => ({}));
    throw new Refused(body.error ?? `the service answered ${response.status}`, response.status);
  }
}

async function json<T>(path: string, body?: unknown): Promise<T> {
  const init = body === undefined ? {} : { method: "POST", body: JSON.stringify(body) };
  return (await request(path, init)).json();
}

export const info = () => json<Info>("/v1/info");

export async function read(instance: string | object, options: Options): Promise<ProblemDocument> {
  return (await json<{ problem: ProblemDocument }>("/v1/problems", { instance, ...options })).problem;
}

export const submit = (instance: object, options: Options, start?: StartRoute[]) =>
  json<Job>("/v1/jobs", { instance, ...options, ...(start ? { start } : {}) });

export type StartRoute = { vehicle: number; stops: string[] };

export async function stop(id: string): Promise<void> {
  await request(`/v1/jobs/${id}`, { method: "DELETE" });
}

export const job = (id: string) => json<Job>(`/v1/jobs/${id}`);

export async function solution(id: string, format: string): Promise<Blob> {
  return (await request(`/v1/jobs/${id}/solution.${format}`)).blob();
}

export interface InspectQuery {
  first?: number;
  second?: number;
  event: number;
  top: number;
  a1?: number;
  a2?: number;
}

export function exchanges(id: string, query: InspectQuery): Promise<Inspection> {
  const words = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value !== undefined) words.set(name, String(value));
  return json<Inspection>(`/v1/jobs/${id}/exchanges?${words}`);
}

/** Follow a job to its end; a broken connection goes on after the last event seen. */
export async function follow(id: string, onBest: (best: Best) => void, signal: AbortSignal): Promise<State> {
  let last = 0;
  for (let failures = 0; ; failures++) {
    try {
      const headers = { "Last-Event-ID": String(last) };
      const response = await request(`/v1/jobs/${id}/events`, { headers, signal });
      if (response.status === 204 || !response.body) return (await job(id)).state;
      const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
      let text = "";
      for (;;) {
        const { done, value } = await reader.read();
        if (done) break;
        failures = 0;
        text += value;
        const blocks = text.split("\n\n");
        text = blocks.pop()!;
        for (const block of blocks) {
          const event = parse(block);
          if (!event) continue;
          last = event.number;
          if (event.kind === "best") onBest({ ...(event.data as Best), number: event.number });
          else return event.kind as State;
        }
      }
    } catch (error) {
      if (signal.aborted || failures >= 5) throw error;
      if (error instanceof Refused && error.status !== 0) throw error;
    }
    await new Promise((resume) => setTimeout(resume, 300 * (failures + 1)));
  }
}

function parse(block: string): { number: number; kind: string; data: unknown } | null {
  const fields = new Map<string, string>();
  for (const line of block.split("\n")) {
    const at = line.indexOf(": ");
    if (at > 0) fields.set(line.slice(0, at), line.slice(at + 2));
  }
  if (!fields.has("data")) return null;
  return {
    number: Number(fields.get("id")),
    kind: fields.get("event")!,
    data: JSON.parse(fields.get("data")!),
  };
}
