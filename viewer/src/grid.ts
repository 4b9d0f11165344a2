// Positions on a grid of 65536 steps per coordinate, sent as what changed since another frame (src/output/view_grid.h).

const BLOCK = 32;

/** A frame on the grid: x of all points, then y, then z. */
export interface GridPoints {
  /** Under this name the server knows it. */
  sent: number;
  /** Low and high corner. */
  box: number[];
  values: Uint16Array;
}

/** The positions of `count` points; `before`: the frame that the changes are against. */
export function unpackGrid(bytes: Uint8Array, count: number, before: Uint16Array | null): Uint16Array {
  const blocks = Math.ceil(count / BLOCK);
  const out = new Uint16Array(3 * count);
  const words = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let at = 4 * Math.ceil((3 * blocks) / 4);
  for (let block = 0; block < 3 * blocks; block++) {
    const bits = bytes[block];
    const mask = 2 ** bits - 1;
    const start = Math.floor(block / blocks) * count;
    const begin = (block % blocks) * BLOCK;
    const end = Math.min(count, begin + BLOCK);
    let word = 0;
    let have = 0;
    let next = at;
    for (let i = begin; i < end; i++) {
      let number = word & mask;
      if (have < bits) {
        const more = words.getUint32(next, true);
        next += 4;
        number = (word | (more << have)) & mask;
        word = bits - have === 32 ? 0 : more >>> (bits - have);
        have += 32 - bits;
      } else {
        word >>>= bits;
        have -= bits;
      }
      const change = number & 1 ? -((number + 1) >> 1) : number >> 1;
      const p = start + i;
      const along = i > 0 ? out[p - 1] : 0;
      const moved = before ? before[p] - (i > 0 ? before[p - 1] : 0) : 0;
      out[p] = along + moved + change;
    }
    at += 4 * bits;
  }
  return out;
}

/** The same as x, y, z of one point after the other. */
export function spreadGrid(grid: GridPoints): Float32Array {
  const { box, values } = grid;
  const count = values.length / 3;
  const out = new Float32Array(values.length);
  for (let k = 0; k < 3; k++) {
    const low = box[k];
    const scale = (box[k + 3] - low) / 65535;
    for (let i = 0, from = k * count, to = k; i < count; i++, to += 3) out[to] = low + values[from + i] * scale;
  }
  return out;
}
