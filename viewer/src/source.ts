// Where the page gets a run from: the server that gave the page, or data that an export put into the page.
import { type Component, fieldValue } from "./frames";
import type { GridPoints } from "./grid";
import { type Frame, parseFrame } from "./packet";

/** Frames with more points come on a grid: single precision is more than a screen can show. */
export const LARGE = 100000;

export interface FrameEntry {
  step: number;
  time: number;
  version: string;
}

export interface RunState {
  abut: string;
  folder: string;
  finished: boolean;
  /** Seconds since anything in the folder changed. */
  age: number;
  files: Record<string, string>;
  frames: FrameEntry[];
  /** Why there is only a start with problems: the message of the check. */
  problem?: { message: string };
  /** The name of the run to compare with. */
  other?: string;
  /** A simulation that goes on beside the server. */
  play?: PlayState;
}

export interface PlayState {
  paused: boolean;
  step: number;
  time: number;
  /** Simulated seconds per second: as wanted, and as many as this machine would make. */
  speed: number;
  rate: number;
  nodes: number;
  /** Why it has stopped, or "". */
  message: string;
  /** The mouse force in N; null: there is none. */
  force: number | null;
}

/** The values of a field in the frames looked at so far; `done` of `frames`. */
export interface FieldRange {
  done: number;
  frames: number;
  low: number;
  high: number;
  /** Below these are 2 and 98 % of the values. */
  p2: number;
  p98: number;
}

/** A point in some frames: step, time, position, and one value per field (vectors: their length). */
export interface History {
  rows: number[][];
  /** Number of the frame to ask for next; the number of frames when there is no more. */
  next: number;
}

export interface RunSource {
  /** False when nothing can change any more. */
  readonly live: boolean;
  state(): Promise<RunState>;
  /** base: a frame on a grid against which the points may be changes. */
  frame(step: number, fields: string[], base?: GridPoints | null): Promise<ArrayBuffer>;
  topology(step: number, id: string): Promise<ArrayBuffer>;
  /** Asks again until done is frames: every answer is the result of a little more work. */
  range(field: string, component: Component): Promise<FieldRange>;
  history(point: number, topology: string, fields: string[], from: number): Promise<History>;
  /** The run to compare with, if there is one. */
  readonly other: RunSource | null;
  /** A file of the run, null when there is none. */
  text(name: string): Promise<string | null>;
  /** For the simulation beside the server, if there is one: "do=go" and so on. */
  order?(words: string): Promise<void>;
}

export interface RawState extends Omit<RunState, "frames"> {
  frames: [number, number, string][];
}

function cook(raw: RawState): RunState {
  return { ...raw, frames: raw.frames.map(([step, time, version]) => ({ step, time, version })) };
}

async function get(path: string, method = "GET"): Promise<Response> {
  let answer: Response;
  try {
    answer = await fetch(path, { cache: "no-store", method });
  } catch {
    throw new NoServer("the server does not answer");
  }
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${(await answer.text()).trim()}`);
  return answer;
}

/** The server has ended, or cannot be reached. */
export class NoServer extends Error {}

export class HttpSource implements RunSource {
  readonly live = true;
  readonly other: RunSource | null;

  constructor(private readonly prefix = "") {
    this.other = prefix === "" ? new HttpSource("other/") : null;
  }

  private get(path: string): Promise<Response> {
    return get(this.prefix + path);
  }

  async state(): Promise<RunState> {
    return cook((await (await this.get("state")).json()) as RawState);
  }

  async frame(step: number, fields: string[], base: GridPoints | null = null): Promise<ArrayBuffer> {
    const query = fields.length > 0 ? `&fields=${fields.map(encodeURIComponent).join(",")}` : "";
    return (await this.get(`frame?step=${step}${query}&grid=${LARGE}${base ? `&base=${base.sent}` : ""}`)).arrayBuffer();
  }

  async topology(step: number): Promise<ArrayBuffer> {
    return (await this.get(`topology?step=${step}`)).arrayBuffer();
  }

  async text(name: string): Promise<string | null> {
    const answer = await fetch(this.prefix + name, { cache: "no-store" });
    return answer.ok ? answer.text() : null;
  }

  async order(words: string): Promise<void> {
    await get(`order?${words}`, "POST");
  }

  async range(field: string, component: Component): Promise<FieldRange> {
    return (await (await this.get(`range?field=${encodeURIComponent(field)}&component=${component}`)).json()) as FieldRange;
  }

  async history(point: number, topology: string, fields: string[], from: number): Promise<History> {
    const names = fields.map(encodeURIComponent).join(",");
    return (await (await this.get(`history?point=${point}&topology=${topology}&fields=${names}&from=${from}`)).json()) as History;
  }
}

/** What an exported page carries, as JSON, gzipped, in base 64. */
export interface EmbeddedRun {
  state: RawState;
  texts: Record<string, string>;
  /** Packets in base 64: frames by step, topologies by identity. */
  frames: Record<string, string>;
  topologies: Record<string, string>;
  view?: unknown;
}

export function toBase64(bytes: Uint8Array): string {
  const parts: string[] = [];
  for (let i = 0; i < bytes.length; i += 0x8000) parts.push(String.fromCharCode(...bytes.subarray(i, i + 0x8000)));
  return btoa(parts.join(""));
}

export function fromBase64(text: string): Uint8Array {
  const raw = atob(text);
  const bytes = new Uint8Array(raw.length);
  for (let i = 0; i < raw.length; i++) bytes[i] = raw.charCodeAt(i);
  return bytes;
}

async function through(bytes: Uint8Array, transform: GenericTransformStream): Promise<Uint8Array> {
  const stream = new Blob([bytes]).stream().pipeThrough(transform);
  return new Uint8Array(await new Response(stream as ReadableStream).arrayBuffer());
}

export async function packRun(run: EmbeddedRun): Promise<string> {
  return toBase64(await through(new TextEncoder().encode(JSON.stringify(run)), new CompressionStream("gzip")));
}

export async function unpackRun(text: string): Promise<EmbeddedRun> {
  const bytes = await through(fromBase64(text), new DecompressionStream("gzip"));
  return JSON.parse(new TextDecoder().decode(bytes)) as EmbeddedRun;
}

/** The value below which a part of sorted values lies. */
function percentile(sorted: number[], part: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))] ?? 0;
}

export class EmbeddedSource implements RunSource {
  readonly live = false;
  readonly other = null;

  constructor(private readonly run: EmbeddedRun) {}

  state(): Promise<RunState> {
    return Promise.resolve(cook(this.run.state));
  }

  private packet(table: Record<string, string>, key: string): Promise<ArrayBuffer> {
    const text = table[key];
    if (text === undefined) return Promise.reject(new Error(`the exported page has no ${key}`));
    return Promise.resolve(fromBase64(text).buffer as ArrayBuffer);
  }

  frame(step: number): Promise<ArrayBuffer> {
    return this.packet(this.run.frames, String(step));
  }

  topology(_step: number, id: string): Promise<ArrayBuffer> {
    return this.packet(this.run.topologies, id);
  }

  text(name: string): Promise<string | null> {
    return Promise.resolve(this.run.texts[name] ?? null);
  }

  private frames(): Frame[] {
    return this.run.state.frames.map(([step]) => parseFrame(fromBase64(this.run.frames[String(step)]).buffer as ArrayBuffer));
  }

  range(field: string, component: Component): Promise<FieldRange> {
    const values: number[] = [];
    const frames = this.frames();
    for (const frame of frames) {
      const data = frame.fields.get(field);
      const count = data ? data.values.length / data.components : 0;
      for (let i = 0; data && i < count; i++) {
        const value = fieldValue(data.values, data.components, i, component);
        if (Number.isFinite(value)) values.push(value);
      }
    }
    values.sort((a, b) => a - b);
    const done = frames.length;
    return Promise.resolve({ done, frames: done, low: values[0] ?? 0, high: values[values.length - 1] ?? 0, p2: percentile(values, 0.02), p98: percentile(values, 0.98) });
  }

  history(point: number, topology: string, fields: string[]): Promise<History> {
    const rows: number[][] = [];
    for (const frame of this.frames()) {
      if (frame.topology !== topology) continue;
      const values = fields.map((name) => {
        const data = frame.fields.get(name);
        return data ? fieldValue(data.values, data.components, point) : NaN;
      });
      const position = [0, 1, 2].map((k) => frame.points[3 * point + k] + frame.origin[k]);
      rows.push([frame.step, frame.time, ...position, ...values]);
    }
    return Promise.resolve({ rows, next: this.run.state.frames.length });
  }
}
