// Where the page gets a run from: the server that gave the page, or data that an export put into the page.

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
}

export interface RunSource {
  /** False when nothing can change any more. */
  readonly live: boolean;
  state(): Promise<RunState>;
  frame(step: number, fields: string[]): Promise<ArrayBuffer>;
  topology(step: number, id: string): Promise<ArrayBuffer>;
  /** A file of the run, null when there is none. */
  text(name: string): Promise<string | null>;
}

interface RawState extends Omit<RunState, "frames"> {
  frames: [number, number, string][];
}

function cook(raw: RawState): RunState {
  return { ...raw, frames: raw.frames.map(([step, time, version]) => ({ step, time, version })) };
}

async function get(path: string): Promise<Response> {
  const answer = await fetch(path, { cache: "no-store" });
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${(await answer.text()).trim()}`);
  return answer;
}

export class HttpSource implements RunSource {
  readonly live = true;

  async state(): Promise<RunState> {
    return cook((await (await get("state")).json()) as RawState);
  }

  async frame(step: number, fields: string[]): Promise<ArrayBuffer> {
    const query = fields.length > 0 ? `&fields=${fields.map(encodeURIComponent).join(",")}` : "";
    return (await get(`frame?step=${step}${query}`)).arrayBuffer();
  }

  async topology(step: number): Promise<ArrayBuffer> {
    return (await get(`topology?step=${step}`)).arrayBuffer();
  }

  async text(name: string): Promise<string | null> {
    const answer = await fetch(name, { cache: "no-store" });
    return answer.ok ? answer.text() : null;
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

export class EmbeddedSource implements RunSource {
  readonly live = false;

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
}
