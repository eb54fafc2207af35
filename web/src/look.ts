/** Colours, numbers and small helpers of the page's look. */

/** Eight colours that stay apart for every kind of colour blindness, and dashes to tell 32 routes apart. */
const LIGHT = ["#3b6ed3", "#d64e07", "#40a586", "#b23a86", "#d59a13", "#84afe5", "#4a277f", "#72251f"];
const DARK = ["#37a4f2", "#ed782b", "#8dc394", "#c87aaa", "#f6d667", "#a4dcee", "#776acf", "#b35c57"];
const DASHES = [[], [7, 4], [2.5, 3], [9, 3, 2.5, 3]];

export function routeColour(vehicle: number): string {
  return (isDark() ? DARK : LIGHT)[(vehicle - 1) % LIGHT.length]!;
}

export function routeDash(vehicle: number): number[] {
  return DASHES[Math.floor((vehicle - 1) / LIGHT.length) % DASHES.length]!;
}

export const isDark = (): boolean => document.documentElement.dataset.theme === "dark";

/** A colour of the style sheet, such as `--ink`. */
export const themed = (name: string): string =>
  getComputedStyle(document.documentElement).getPropertyValue(name).trim();

export type Format = (length: number) => string;

/** How lengths are written: kilometres on the globe, four or five digits elsewhere. */
export function lengthFormat(geographic: boolean, largest: number): Format {
  const divisor = geographic ? 1000 : 1;
  const size = Math.max(largest / divisor, 1e-9);
  const decimals = Math.min(6, Math.max(0, (geographic ? 3 : 4) - Math.floor(Math.log10(size))));
  const whole = !geographic && Number.isInteger(largest);
  return (length) =>
    `${(length / divisor).toFixed(whole && Number.isInteger(length) ? 0 : decimals)}${geographic ? " km" : ""}`;
}

export const percent = (share: number): string => `${(100 * share).toFixed(share < 0.1 ? 2 : 1)} %`;

/** An element with attributes and children. */
export function element<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Record<string, string | number | boolean | undefined> = {},
  ...children: (Element | string)[]
): HTMLElementTagNameMap[K] {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === false) continue;
    made.setAttribute(name, value === true ? "" : String(value));
  }
  made.append(...children);
  return made;
}

export function find<T extends Element = HTMLElement>(selector: string, within: ParentNode = document): T {
  const found = within.querySelector<T>(selector);
  if (!found) throw new Error(`the page has no ${selector}`);
  return found;
}

/** A canvas as sharp as the screen; gives its size in CSS pixels. */
export function sharpen(canvas: HTMLCanvasElement): [CanvasRenderingContext2D, number, number] {
  const ratio = window.devicePixelRatio || 1;
  const { clientWidth: width, clientHeight: height } = canvas;
  const [w, h] = [Math.round(width * ratio), Math.round(height * ratio)];
  if (canvas.width !== w || canvas.height !== h) [canvas.width, canvas.height] = [w, h];
  const context = canvas.getContext("2d")!;
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  return [context, width, height];
}
