/** A link that reproduces instance, options and seed: all of it is in the part behind `#`. */

import type { Options, ProblemDocument } from "./api";
import { fromOrigin, type Instance, type Origin } from "./instance";

interface Content {
  origin?: Origin;
  document?: ProblemDocument;
  options: Options;
}

export async function linkTo(instance: Instance): Promise<string> {
  const { origin, document, options } = instance;
  const content: Content = origin ? { origin, options } : { document, options };
  return `#${encode(await squeeze(JSON.stringify(content), new CompressionStream("deflate-raw")))}`;
}

/** The instance of a link; null where there is none. */
export async function instanceOf(hash: string): Promise<Instance | null> {
  if (hash.length < 2) return null;
  let content: Content;
  try {
    content = JSON.parse(new TextDecoder().decode(await expand(decode(hash.slice(1)))));
  } catch {
    throw new Error("this link is damaged: part of it is missing");
  }
  if (content.origin) return { ...(await fromOrigin(content.origin)), options: content.options };
  return { document: content.document!, options: content.options };
}

const squeeze = (text: string, through: CompressionStream) => flow(new TextEncoder().encode(text), through);
const expand = (bytes: Uint8Array<ArrayBuffer>) => flow(bytes, new DecompressionStream("deflate-raw"));

async function flow(bytes: Uint8Array<ArrayBuffer>, through: CompressionStream | DecompressionStream) {
  const stream = new Blob([bytes]).stream().pipeThrough(through);
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

function encode(bytes: Uint8Array): string {
  let text = "";
  for (const byte of bytes) text += String.fromCharCode(byte);
  return btoa(text).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

function decode(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (c) => c.charCodeAt(0));
}
