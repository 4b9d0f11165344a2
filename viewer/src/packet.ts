// Packets of the server (src/output/view_packet.h): "ABUT", length of the header, JSON header, arrays.
import { type GridPoints, spreadGrid, unpackGrid } from "./grid";

export interface FieldInfo {
  name: string;
  components: number;
}

interface ArrayInfo {
  name: string;
  type: "f32" | "i32" | "grid";
  components: number;
  count: number;
  offset: number;
}

interface Header {
  kind: "frame" | "topology";
  topology: string;
  step: number;
  time: number;
  origin: [number, number, number];
  bounds: number[];
  grid?: number[];
  sent?: number;
  /** The name of the frame that the points are changes against. */
  base?: number;
  fields: FieldInfo[];
  arrays: ArrayInfo[];
}

/** The visible surface of all frames with the same cells; indices are those of the points of a frame. */
export interface Topology {
  id: string;
  body: Int32Array;
  triangles: Int32Array;
  /** Bit k: the side opposite corner k is not an edge of the mesh. */
  hidden: Int32Array;
  lines: Int32Array;
  dots: Int32Array;
}

export interface FieldValues {
  components: number;
  values: Float32Array;
}

export class Frame {
  readonly step: number;
  readonly time: number;
  readonly topology: string;
  readonly origin: [number, number, number];
  /** Low and high corner, around the origin. */
  readonly bounds: number[];
  readonly available: FieldInfo[];
  readonly pointCount: number;
  /** What is kept in memory; `points` of frames on a grid is not counted, as few of them have it at a time. */
  readonly bytes: number;
  private floats: Float32Array | null;

  constructor(
    header: Header,
    points: Float32Array | null,
    readonly grid: GridPoints | null,
    readonly fields: Map<string, FieldValues>,
    size: number,
  ) {
    this.step = header.step;
    this.time = header.time;
    this.topology = header.topology;
    this.origin = header.origin;
    this.bounds = header.bounds;
    this.available = header.fields;
    this.floats = points;
    this.pointCount = (grid ? grid.values.length : (points as Float32Array).length) / 3;
    // Arrays of fields keep the whole packet.
    this.bytes = (grid ? grid.values.byteLength : 0) + (points || fields.size > 0 ? size : 0);
  }

  /** x, y, z of every point around the origin. Made when asked for where the frame is on a grid. */
  get points(): Float32Array {
    if (this.floats) return this.floats;
    this.floats = spreadGrid(this.grid as GridPoints);
    spread.push(this);
    while (spread.length > SPREAD_KEPT) (spread.shift() as Frame).floats = null;
    return this.floats;
  }
}

/** The frames on a grid whose points were asked for last: the one that is shown, and that of the other run. */
const SPREAD_KEPT = 3;
const spread: Frame[] = [];

type Arrays = Map<string, Float32Array | Int32Array>;

function parse(buffer: ArrayBuffer): { header: Header; arrays: Arrays; packed: Uint8Array } {
  const view = new DataView(buffer);
  if (buffer.byteLength < 8 || view.getUint32(0, false) !== 0x41425554) throw new Error("not a packet of abut");
  const length = view.getUint32(4, true);
  const header = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 8, length))) as Header;
  const arrays: Arrays = new Map();
  let packed = new Uint8Array();
  for (const info of header.arrays) {
    const size = info.components * info.count;
    const offset = 8 + length + info.offset;
    if (info.type === "grid") packed = new Uint8Array(buffer, offset);
    else arrays.set(info.name, info.type === "f32" ? new Float32Array(buffer, offset, size) : new Int32Array(buffer, offset, size));
  }
  return { header, arrays, packed };
}

export function parseTopology(buffer: ArrayBuffer): Topology {
  const { header, arrays } = parse(buffer);
  const ints = (name: string) => arrays.get(name) as Int32Array;
  return {
    id: header.topology,
    body: ints("body"),
    triangles: ints("triangles"),
    hidden: ints("hidden"),
    lines: ints("lines"),
    dots: ints("dots"),
  };
}

/** base: the frame that was named when this one was asked for. */
export function parseFrame(buffer: ArrayBuffer, base: GridPoints | null = null): Frame {
  const { header, arrays, packed } = parse(buffer);
  const fields = new Map<string, FieldValues>();
  for (const info of header.arrays)
    if (info.name !== "points")
      fields.set(info.name, { components: info.components, values: arrays.get(info.name) as Float32Array });
  const points = (arrays.get("points") as Float32Array | undefined) ?? null;
  if (points) return new Frame(header, points, null, fields, buffer.byteLength);
  if (header.base !== undefined && header.base !== base?.sent) throw new Error("a frame came as changes against one that is not here");
  const count = header.arrays[header.arrays.length - 1].count;
  const values = unpackGrid(packed, count, header.base === undefined ? null : (base as GridPoints).values);
  return new Frame(header, null, { sent: header.sent ?? 0, box: header.grid ?? header.bounds, values }, fields, buffer.byteLength);
}
