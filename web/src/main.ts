/** Wires the page: the instance on the left, one search or two beside it. */

import "./style.css";
import {
  type Info,
  info as getInfo,
  type Node,
  onTokenNeeded,
  type Options,
  Refused,
  solution,
  type StartRoute,
} from "./api";
import { Inspector } from "./inspector";
import {
  DEFAULTS,
  empty,
  EXAMPLES,
  freeId,
  fromOrigin,
  fromText,
  type Instance,
  isGeographic,
  random,
} from "./instance";
import { instanceOf, linkTo } from "./link";
import { element, find } from "./look";
import type { Tool } from "./map";
import { Run } from "./run";

let info: Info;
let instance: Instance = empty();
const run = makeRun();
const rival = makeRun();
const inspector = new Inspector();

const form = {
  problem: find<HTMLSelectElement>("#problem"),
  vehicles: find<HTMLInputElement>("#vehicles"),
  end: find<HTMLSelectElement>("#end"),
  objective: find<HTMLSelectElement>("#objective"),
  capacity: find<HTMLInputElement>("#capacity"),
  max_length: find<HTMLInputElement>("#max-length"),
  method: find<HTMLSelectElement>("#method"),
  rival: find<HTMLSelectElement>("#rival"),
  seconds: find<HTMLInputElement>("#seconds"),
  seed: find<HTMLInputElement>("#seed"),
};

const PROBLEMS: Record<string, string> = {
  mtsp: "several tours",
  mdvrp: "back to own depot",
  fmdvrp: "end at any depot",
  cvrp: "loads, capacity",
  tsp: "one tour",
};

// -- the instance ------------------------------------------------------------------------------

function load(next: Instance): void {
  const { document } = next;
  instance = { ...next, options: { ...DEFAULTS, ...next.options } };
  if (document.cities.length > info.limits.cities) {
    return complain(
      `${document.cities.length} cities are more than this service takes (${info.limits.cities})`,
    );
  }
  complain("");
  const { origin } = instance;
  find<HTMLSelectElement>("#examples").value = !origin ? "" : "example" in origin ? origin.example : "random";
  find("#random").hidden = !(origin && "random" in origin);
  for (const each of [run, rival]) {
    each.clear();
    each.show(instance, false);
  }
  if (!document.depots.length) useTool("depot");
  showOptions();
  update();
}

/** The instance after an edit by hand: it is no example any more. */
function edit(change: (document: Instance["document"]) => void, keepPlans = true): void {
  const document = structuredClone(instance.document);
  change(document);
  instance = { ...instance, document, origin: undefined };
  for (const each of [run, rival]) {
    if (!keepPlans) each.clear();
    each.show(instance, true);
  }
  showOptions();
  update();
}

function makeRun(): Run {
  const write = (node: Node, [x, y]: [number, number]) => {
    if (isGeographic(instance.document)) [node.lon, node.lat] = [x, y];
    else [node.x, node.y] = [x, y];
  };
  const nodeAt = (document: Instance["document"], k: number) =>
    k < document.depots.length ? document.depots[k]! : document.cities[k - document.depots.length]!;
  const made: Run = new Run(() => update(), {
    place: (at, isDepot) => {
      if (instance.document.matrix)
        return complain("distances are given by a matrix here: places cannot be added");
      edit((document) => {
        const node: Node = { id: freeId(document, isDepot ? "D" : "") };
        write(node, at);
        document[isDepot ? "depots" : "cities"].push(node);
      });
    },
    move: (k, at) => {
      if (instance.document.matrix) return;
      write(nodeAt(instance.document, k), at);
      instance.origin = undefined;
      for (const each of [run, rival]) each.show(instance, true);
    },
    moved: () => {
      if (instance.document.matrix)
        return complain("distances are given by a matrix here: moving changes nothing");
      if (made.plan) void solve(true);
    },
    erase: (k) => {
      if (instance.document.matrix) return complain("distances are given by a matrix here: places cannot go");
      edit((document) => {
        if (k < document.depots.length) document.depots.splice(k, 1);
        else document.cities.splice(k - document.depots.length, 1);
      });
    },
  });
  return made;
}

async function attempt(make: () => Promise<Instance>): Promise<void> {
  try {
    load(await make());
  } catch (error) {
    complain(error instanceof Error ? error.message : String(error));
  }
}

function complain(text: string): void {
  const place = find("#complaint");
  place.textContent = text;
  place.hidden = !text;
}

// -- options -----------------------------------------------------------------------------------

function showOptions(): void {
  const { document, options } = instance;
  const several = document.depots.length > 1;
  const hasDemand = document.cities.some((city) => city.demand);
  const listed = Boolean(document.vehicles);
  const fits = (problem: string) =>
    several
      ? ["mdvrp", "fmdvrp"].includes(problem)
      : ["mtsp", "tsp"].includes(problem) || (problem === "cvrp" && hasDemand);
  const chosen = options.problem && fits(options.problem) ? options.problem : several ? "fmdvrp" : "mtsp";
  form.problem.replaceChildren(
    ...(listed ? [element("option", { value: "" }, "as the file says")] : []),
    ...(listed ? [] : Object.entries(PROBLEMS).filter(([name]) => fits(name))).map(([name, words]) =>
      element("option", { value: name, selected: name === chosen }, `${name.toUpperCase()} · ${words}`),
    ),
  );
  options.problem = listed ? undefined : chosen;
  form.vehicles.disabled = listed || chosen === "tsp";
  if (chosen === "tsp") options.vehicles = 1;
  if (!options.vehicles && chosen !== "cvrp" && !listed) options.vehicles = 3;
  form.vehicles.value = listed ? "" : String(options.vehicles ?? "");
  form.vehicles.placeholder = listed ? "as the file says" : "as many as needed";
  const ends = [
    ["own", "where it started"],
    ...(several ? [["any", "at any depot"]] : []),
    ["open", "at its last stop"],
  ];
  if (several) for (const depot of document.depots) ends.push([depot.id, `at ${depot.name || depot.id}`]);
  const end = options.end ?? (chosen === "fmdvrp" ? "any" : "own");
  if (!ends.some(([value]) => value === end)) ends.push([end, end]);
  form.end.replaceChildren(
    ...ends.map(([value, words]) => element("option", { value: value!, selected: value === end }, words!)),
  );
  form.end.disabled = listed;
  form.objective.value = options.objective ?? (["tsp", "cvrp"].includes(chosen) ? "minsum" : "minmax");
  form.capacity.disabled = listed || ["tsp", "mtsp"].includes(chosen);
  form.capacity.value = form.capacity.disabled ? "" : String(options.capacity ?? "");
  form.max_length.disabled = listed;
  form.max_length.value = String(options.max_length ?? "");
  form.seconds.value = String(options.seconds ?? DEFAULTS.seconds);
  form.seed.value = String(options.seed ?? DEFAULTS.seed);
  if (options.method && info.methods.includes(options.method)) form.method.value = options.method;
  const { depots, cities } = document;
  find("#size").textContent =
    `${cities.length} ${cities.length === 1 ? "city" : "cities"}, ${depots.length} ${depots.length === 1 ? "depot" : "depots"}`;
}

function readOptions(): Options {
  const number = (input: HTMLInputElement) => (input.value.trim() === "" ? undefined : Number(input.value));
  const listed = Boolean(instance.document.vehicles);
  return {
    problem: form.problem.value || undefined,
    vehicles: listed ? undefined : number(form.vehicles),
    end: listed ? undefined : form.end.value,
    objective: form.objective.value,
    capacity: number(form.capacity),
    max_length: number(form.max_length),
    method: form.method.value,
    seconds: number(form.seconds),
    seed: number(form.seed),
  };
}

function optionChanged(event: Event): void {
  const before = instance.options.problem;
  instance.options = readOptions();
  const { options } = instance;
  if (event.target === form.problem && before !== options.problem) {
    options.end = undefined;
    options.objective = undefined;
    if (before === "tsp") options.vehicles = undefined;
  }
  if (event.target === form.end) {
    if (options.end === "any") options.problem = "fmdvrp";
    else if (options.problem === "fmdvrp") options.problem = "mdvrp";
  }
  showOptions();
  instance.options = readOptions();
  update();
}

// -- solving -----------------------------------------------------------------------------------

const isComparing = () => form.rival.value !== "";
const runs = () => (isComparing() ? [run, rival] : [run]);
const isBusy = () => runs().some((each) => each.isBusy);

async function solve(goOn: boolean): Promise<void> {
  complain("");
  const { depots, cities } = instance.document;
  if (!depots.length || !cities.length) {
    return complain("place at least one depot and one city first, or load an example");
  }
  instance.options = readOptions();
  // On a phone the map is above the options: show what the search does.
  if (matchMedia("(max-width: 720px)").matches) run.root.scrollIntoView();
  const methods = [form.method.value, form.rival.value];
  await Promise.all(
    runs().map((each, k) => {
      const start: StartRoute[] | undefined = goOn ? each.plan : undefined;
      each.show(instance, true);
      return each.solve({ ...instance.options, method: methods[k] }, start);
    }),
  );
}

const stopAll = () => Promise.all(runs().map((each) => each.stop()));

/** Everything that follows from how the searches stand. */
function update(): void {
  if (!info) return;
  const busy = isBusy();
  const hasPlan = runs().some((each) => each.found.length);
  const comparing = isComparing();
  document.body.classList.toggle("comparing", comparing);
  rival.root.hidden = !comparing;
  run.title = form.method.value;
  rival.title = form.rival.value;
  find("#solve").textContent = busy ? "Stop" : "Solve";
  find("#solve").classList.toggle("stop", busy);
  find("#continue").hidden = busy || !hasPlan;
  find<HTMLButtonElement>("#inspect").disabled = !run.best || run.best.routes.length < 2;
  for (const button of document.querySelectorAll<HTMLButtonElement>("#exports button"))
    button.disabled = !run.jobId || !run.found.length;
  find("#tiles-row").hidden = !(info.tiles && isGeographic(instance.document));
  announce(busy);
}

let announced = "";

function announce(busy: boolean): void {
  const best = run.found.at(-1);
  const words =
    !busy && best
      ? `${find(".state", run.root).textContent}. Longest route ${find(".figures .longest dd", run.root).textContent}.`
      : "";
  if (words !== announced) find("#announcement").textContent = announced = words;
}

async function download(format: string): Promise<void> {
  try {
    const address = URL.createObjectURL(await solution(run.best?.job ?? run.jobId, format));
    element("a", { href: address, download: `plan.${format}` }).click();
    setTimeout(() => URL.revokeObjectURL(address), 10_000);
  } catch (error) {
    complain(error instanceof Refused ? error.message : String(error));
  }
}

async function copyLink(): Promise<void> {
  instance.options = readOptions();
  const hash = await linkTo(instance);
  history.replaceState(null, "", hash);
  const button = find("#link");
  try {
    await navigator.clipboard.writeText(location.href);
    button.textContent = "Link copied";
  } catch {
    button.textContent = "Link is in the address bar";
  }
  setTimeout(() => (button.textContent = "Copy link"), 2500);
}

// -- the rest of the page ----------------------------------------------------------------------

function useTool(tool: Tool): void {
  for (const button of document.querySelectorAll<HTMLButtonElement>("#tools button")) {
    button.setAttribute("aria-pressed", String(button.dataset.tool === tool));
  }
  for (const each of [run, rival]) {
    each.map.tool = tool;
    each.map.canvas.dataset.tool = tool;
  }
}

function useTheme(theme: string): void {
  const dark = theme === "dark" || (theme === "auto" && matchMedia("(prefers-color-scheme: dark)").matches);
  document.documentElement.dataset.theme = dark ? "dark" : "light";
  for (const each of [run, rival]) if (instance) each.draw();
  inspector.redraw();
}

function wire(): void {
  find("#runs").append(run.root, rival.root);
  const examples = find<HTMLSelectElement>("#examples");
  for (const [name, { title }] of Object.entries(EXAMPLES))
    examples.append(element("option", { value: name }, title));
  examples.append(element("option", { value: "random" }, "Random cities …"));
  examples.addEventListener("change", () => {
    if (examples.value === "random") return drawLots();
    if (examples.value) void attempt(() => fromOrigin({ example: examples.value }));
  });
  const lots = ["#random-cities", "#random-depots", "#random-seed"].map((id) => find<HTMLInputElement>(id));
  const drawLots = () => {
    const [cities, depots, seed] = lots.map((input) =>
      Math.max(Number(input.min), Math.round(Number(input.value) || 0)),
    );
    load(random(Math.min(cities!, info.limits.cities), Math.min(depots!, 50), seed!));
  };
  for (const input of lots) input.addEventListener("change", drawLots);

  const file = find<HTMLInputElement>("#file");
  find("#open").addEventListener("click", () => file.click());
  const open = (list: FileList | null | undefined) => {
    const [first] = list ?? [];
    if (first) void attempt(async () => fromText(await first.text()));
  };
  file.addEventListener("change", () => {
    open(file.files);
    file.value = "";
  });
  document.addEventListener("dragover", (event) => {
    event.preventDefault();
    document.body.classList.add("dropping");
  });
  document.addEventListener("dragleave", (event) => {
    if (!event.relatedTarget) document.body.classList.remove("dropping");
  });
  document.addEventListener("drop", (event) => {
    event.preventDefault();
    document.body.classList.remove("dropping");
    open(event.dataTransfer?.files);
  });
  document.addEventListener("paste", (event) => {
    const text = event.clipboardData?.getData("text") ?? "";
    if (!(event.target as Element).closest("input, textarea") && text.includes("\n"))
      void attempt(() => fromText(text));
  });
  const paste = find<HTMLDialogElement>("#paste-dialog");
  find("#paste").addEventListener("click", () => paste.showModal());
  find("#paste-use").addEventListener("click", () => {
    paste.close();
    void attempt(() => fromText(find<HTMLTextAreaElement>("#pasted").value));
  });
  find("#clear").addEventListener("click", () => load(empty()));

  for (const button of document.querySelectorAll<HTMLButtonElement>("#tools button")) {
    button.addEventListener("click", () => useTool(button.dataset.tool as Tool));
  }
  for (const input of Object.values(form)) input.addEventListener("change", optionChanged);
  find("#solve").addEventListener("click", () => void (isBusy() ? stopAll() : solve(false)));
  find("#continue").addEventListener("click", () => void solve(true));
  find("#inspect").addEventListener("click", () => void inspector.open(run, instance));
  find("#link").addEventListener("click", () => void copyLink());
  for (const dialog of document.querySelectorAll("dialog")) {
    find<HTMLButtonElement>(".close", dialog).addEventListener("click", () => dialog.close());
  }
  find("#help").addEventListener("click", () => find<HTMLDialogElement>("#help-dialog").showModal());
  const tiles = find<HTMLInputElement>("#tiles");
  tiles.addEventListener("change", () => {
    for (const each of [run, rival]) each.map.useTiles(tiles.checked ? info.tiles : "");
    find("#attribution").hidden = !tiles.checked;
  });
  const theme = find<HTMLSelectElement>("#theme");
  theme.value = localStorage.getItem("theme") ?? "auto";
  theme.addEventListener("change", () => {
    localStorage.setItem("theme", theme.value);
    useTheme(theme.value);
  });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => useTheme(theme.value));
  document.addEventListener("keydown", shortcut);
  window.addEventListener("hashchange", () => void openLink());
}

function shortcut(event: KeyboardEvent): void {
  const typing = (event.target as Element).closest("input, textarea, select, dialog[open]");
  if (typing || event.ctrlKey || event.metaKey || event.altKey) return;
  const tools: Record<string, Tool> = { v: "move", c: "city", d: "depot", x: "erase" };
  const vehicles = run.best?.routes.map((route) => route.vehicle) ?? [];
  const lit = vehicles.indexOf(run.lit ?? NaN);
  if (tools[event.key]) useTool(tools[event.key]!);
  else if (event.key === "s") find("#solve").click();
  else if (event.key === "g" && !find("#continue").hidden) find("#continue").click();
  else if (event.key === "i") find("#inspect").click();
  else if (event.key === "]") run.light(vehicles[(lit + 1) % vehicles.length] ?? null);
  else if (event.key === "[") run.light(vehicles.at(lit <= 0 ? -1 : lit - 1) ?? null);
  else if (event.key === "Escape") run.light(null);
  else if (event.key === "?") find("#help").click();
  else return;
  event.preventDefault();
}

function askForToken(): Promise<string> {
  const dialog = find<HTMLDialogElement>("#token-dialog");
  const input = find<HTMLInputElement>("#token");
  if (!dialog.open) dialog.showModal();
  return new Promise((resolve) => {
    dialog.addEventListener("close", () => resolve(input.value.trim()), { once: true });
  });
}

async function openLink(): Promise<boolean> {
  try {
    const linked = await instanceOf(location.hash);
    if (!linked) return false;
    load(linked);
    return true;
  } catch (error) {
    complain(error instanceof Error ? error.message : String(error));
    return false;
  }
}

async function begin(): Promise<void> {
  onTokenNeeded(askForToken);
  info = await getInfo();
  const option = (method: string) => element("option", { value: method }, method);
  form.method.replaceChildren(...info.methods.map(option));
  form.method.value = info.default_method;
  form.rival.append(...info.methods.map(option));
  for (const format of info.solution_formats) {
    const button = element("button", { type: "button", disabled: true }, format);
    button.addEventListener("click", () => void download(format));
    find("#exports").append(button);
  }
  if (!(await openLink())) {
    const reason = find("#complaint").textContent;
    await attempt(() => fromOrigin({ example: "switzerland" }));
    if (reason) complain(reason);
  }
  document.body.dataset.readyAfter = performance.now().toFixed();
  document.body.dataset.ready = "yes";
}

wire();
for (const each of [run, rival]) each.show(instance, false);
useTheme(find<HTMLSelectElement>("#theme").value);
begin().catch((error) => complain(error instanceof Error ? error.message : String(error)));
