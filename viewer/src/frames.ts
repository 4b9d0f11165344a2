// Frames from the source to the screen: a cache of bounded size, and one topology per mesh.
import type { GridPoints } from "./grid";
import { type Frame, type Topology, parseFrame, parseTopology } from "./packet";
import type { FrameEntry, RunSource } from "./source";

interface Slot {
  key: string;
  frame: Frame;
}

/** Keeps the frames that were used last, up to a number of bytes; loads each one once. */
export class FrameStore {
  private readonly slots = new Map<string, Slot>(); // in the order of use
  private readonly loading = new Map<string, Promise<Frame>>();
  private readonly topologies = new Map<string, Topology>();
  private bytes = 0;
  /** Fields that are loaded with the frames. */
  private fields: string[] = [];
  /** Largest extent of all frames seen so far. */
  readonly bounds = [Infinity, Infinity, Infinity, -Infinity, -Infinity, -Infinity];

  constructor(
    private readonly source: RunSource,
    private readonly limit = 400e6,
  ) {}

  get usedBytes(): number {
    return this.bytes;
  }

  get count(): number {
    return this.slots.size;
  }

  setFields(fields: string[]): void {
    this.fields = [...fields].sort();
  }

  private key(entry: FrameEntry): string {
    return `${entry.step} ${entry.version} ${this.source.live ? this.fields.join(",") : ""}`;
  }

  has(entry: FrameEntry): boolean {
    return this.slots.has(this.key(entry));
  }

  peek(entry: FrameEntry): Frame | undefined {
    return this.slots.get(this.key(entry))?.frame;
  }

  get isBusy(): boolean {
    return this.loading.size >= 3;
  }

  load(entry: FrameEntry): Promise<Frame> {
    const key = this.key(entry);
    const known = this.slots.get(key);
    if (known) {
      this.slots.delete(key);
      this.slots.set(key, known);
      return Promise.resolve(known.frame);
    }
    let pending = this.loading.get(key);
    if (!pending) {
      pending = this.fetch(entry, key).finally(() => this.loading.delete(key));
      this.loading.set(key, pending);
    }
    return pending;
  }

  private async fetch(entry: FrameEntry, key: string): Promise<Frame> {
    const base = this.nearest(entry.step);
    const frame = parseFrame(await this.source.frame(entry.step, this.fields, base), base);
    if (!this.topologies.has(frame.topology))
      this.topologies.set(frame.topology, parseTopology(await this.source.topology(entry.step, frame.topology)));
    this.learn(frame);
    this.slots.set(key, { key, frame });
    this.bytes += frame.bytes;
    this.forget();
    return frame;
  }

  /** The frame on a grid that is nearest in time, which the next one differs least from. */
  private nearest(step: number): GridPoints | null {
    let best: Frame | null = null;
    for (const { frame } of this.slots.values())
      if (frame.grid && (!best || Math.abs(frame.step - step) < Math.abs(best.step - step))) best = frame;
    return best?.grid ?? null;
  }

  topologyOf(frame: Frame): Topology {
    const topology = this.topologies.get(frame.topology);
    if (!topology) throw new Error("a frame without its mesh");
    return topology;
  }

  private learn(frame: Frame): void {
    for (let k = 0; k < 3; k++) {
      this.bounds[k] = Math.min(this.bounds[k], frame.bounds[k]);
      this.bounds[k + 3] = Math.max(this.bounds[k + 3], frame.bounds[k + 3]);
    }
  }

  private forget(): void {
    for (const [key, slot] of this.slots) {
      if (this.bytes <= this.limit || this.slots.size <= 2) return;
      this.slots.delete(key);
      this.bytes -= slot.frame.bytes;
    }
  }
}

/** What is shown of a field at a point: one component of a vector, or its length. */
export type Component = "length" | 0 | 1 | 2;

export function fieldValue(values: Float32Array, components: number, i: number, component: Component = "length"): number {
  if (components === 1) return values[i];
  if (component !== "length") return component < components ? values[components * i + component] : NaN;
  let sum = 0;
  for (let k = 0; k < components; k++) {
    const value = values[components * i + k];
    sum += value * value;
  }
  return Math.sqrt(sum);
}

export function rangeOf(values: Float32Array, components: number, component: Component = "length"): [number, number] {
  let low = Infinity;
  let high = -Infinity;
  for (let i = 0; i < values.length / components; i++) {
    const value = fieldValue(values, components, i, component);
    if (value < low) low = value;
    if (value > high) high = value;
  }
  return [low, high];
}
