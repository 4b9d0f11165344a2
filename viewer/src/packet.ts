// Packets of the server (src/output/view_packet.h): "ABUT", length of the header, JSON header, arrays.

export interface FieldInfo {
  name: string;
  components: number;
}

interface ArrayInfo {
  name: string;
  type: "f32" | "i32" | "u16";
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

export interface Frame {
  step: number;
  time: number;
  topology: string;
  origin: [number, number, number];
  /** Low and high corner, around the origin. */
  bounds: number[];
  available: FieldInfo[];
  points: Float32Array;
  fields: Map<string, FieldValues>;
  bytes: number;
}

/** Points in 16 bits per coordinate between the ends of the bounds (type "u16"). */
function spread(values: Uint16Array, bounds: number[]): Float32Array {
  const out = new Float32Array(values.length);
  const scale = [0, 1, 2].map((k) => (bounds[k + 3] - bounds[k]) / 65535);
  for (let i = 0; i < values.length; i += 3)
    for (let k = 0; k < 3; k++) out[i + k] = bounds[k] + values[i + k] * scale[k];
  return out;
}

function parse(buffer: ArrayBuffer): { header: Header; arrays: Map<string, Float32Array | Int32Array> } {
  const view = new DataView(buffer);
  if (buffer.byteLength < 8 || view.getUint32(0, false) !== 0x41425554) throw new Error("not a packet of abut");
  const length = view.getUint32(4, true);
  const header = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 8, length))) as Header;
  const arrays = new Map<string, Float32Array | Int32Array>();
  for (const info of header.arrays) {
    const size = info.components * info.count;
    const offset = 8 + length + info.offset;
    if (info.type === "u16") arrays.set(info.name, spread(new Uint16Array(buffer, offset, size), header.bounds));
    else arrays.set(info.name, info.type === "f32" ? new Float32Array(buffer, offset, size) : new Int32Array(buffer, offset, size));
  }
  return { header, arrays };
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

export function parseFrame(buffer: ArrayBuffer): Frame {
  const { header, arrays } = parse(buffer);
  const fields = new Map<string, FieldValues>();
  for (const info of header.arrays)
    if (info.name !== "points")
      fields.set(info.name, { components: info.components, values: arrays.get(info.name) as Float32Array });
  return {
    step: header.step,
    time: header.time,
    topology: header.topology,
    origin: header.origin,
    bounds: header.bounds,
    available: header.fields,
    points: arrays.get("points") as Float32Array,
    fields,
    bytes: buffer.byteLength + (header.arrays.some((info) => info.type === "u16") ? 12 * header.arrays[header.arrays.length - 1].count : 0),
  };
}
