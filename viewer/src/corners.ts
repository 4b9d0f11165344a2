// Shading of a mesh that moves: points are split into corners where triangles meet at a sharp angle, once per mesh;
// normals of the corners follow the points in every frame.
import type { Topology } from "./packet";

export interface Corners {
  count: number;
  /** Corners of the upper side, which come first. */
  upper: number;
  /** Corners of the lower side of shells, copies of the upper ones; 0 without shells that have a thickness. */
  lower: number;
  /** Pairs of upper corners along the open edges of shells; each has four corners of its own at the end. */
  rim: Uint32Array;
  /** Point of every corner. */
  point: Uint32Array;
  /** Half the thickness by which a corner is moved along its normal; negative on the lower side of a shell. */
  lift: Float32Array;
  /** Three corners per triangle, and the body of every triangle. */
  triangles: Uint32Array;
  triangleBody: Int32Array;
}

const CREASE_COSINE = Math.cos((40 * Math.PI) / 180);

function triangleNormals(points: Float32Array, triangles: Int32Array): Float32Array {
  const normals = new Float32Array(triangles.length);
  for (let t = 0; t < triangles.length; t += 3) {
    const a = 3 * triangles[t];
    const b = 3 * triangles[t + 1];
    const c = 3 * triangles[t + 2];
    const ux = points[b] - points[a];
    const uy = points[b + 1] - points[a + 1];
    const uz = points[b + 2] - points[a + 2];
    const vx = points[c] - points[a];
    const vy = points[c + 1] - points[a + 1];
    const vz = points[c + 2] - points[a + 2];
    let nx = uy * vz - uz * vy;
    let ny = uz * vx - ux * vz;
    let nz = ux * vy - uy * vx;
    const length = Math.hypot(nx, ny, nz) || 1;
    normals[t] = nx / length;
    normals[t + 1] = ny / length;
    normals[t + 2] = nz / length;
  }
  return normals;
}

/** Triangles around each point: those of point i are list[start[i]] .. list[start[i + 1] - 1], three times the number. */
function fans(pointCount: number, triangles: Int32Array): { start: Uint32Array; list: Uint32Array } {
  const start = new Uint32Array(pointCount + 2);
  for (const node of triangles) start[node + 2]++;
  for (let i = 2; i < start.length; i++) start[i] += start[i - 1];
  const list = new Uint32Array(triangles.length);
  for (let i = 0; i < triangles.length; i++) list[start[triangles[i] + 1]++] = i;
  return { start, list };
}

/** Splits every point into groups of triangles that lie nearly in a plane, grown from one neighbour to the next. */
function split(points: Float32Array, topology: Topology): { point: number[]; triangles: Uint32Array } {
  const { triangles } = topology;
  const normals = triangleNormals(points, triangles);
  const { start, list } = fans(topology.body.length, triangles);
  const out = new Uint32Array(triangles.length);
  const point: number[] = [];
  const group: number[] = [];
  for (let node = 0; node < topology.body.length; node++) {
    const from = start[node];
    const count = start[node + 1] - from;
    group.length = count;
    group.fill(-1);
    for (let seed = 0; seed < count; seed++) {
      if (group[seed] >= 0) continue;
      const corner = point.push(node) - 1;
      const stack = [seed];
      group[seed] = corner;
      while (stack.length > 0) {
        const i = stack.pop() as number;
        const a = list[from + i] - (list[from + i] % 3);
        for (let j = 0; j < count; j++) {
          if (group[j] >= 0) continue;
          const b = list[from + j] - (list[from + j] % 3);
          const cosine =
            normals[a] * normals[b] + normals[a + 1] * normals[b + 1] + normals[a + 2] * normals[b + 2];
          if (cosine < CREASE_COSINE) continue;
          group[j] = corner;
          stack.push(j);
        }
      }
    }
    for (let i = 0; i < count; i++) out[list[from + i]] = group[i];
  }
  return { point, triangles: out };
}

/** Boundary edges (used by one triangle) as pairs of places in the list of triangle corners. */
function boundary(triangles: Int32Array, wanted: (triangle: number) => boolean): [number, number][] {
  const open = new Map<number, [number, number] | null>();
  let size = 0;
  for (const node of triangles) size = Math.max(size, node + 1);
  for (let t = 0; t < triangles.length / 3; t++) {
    if (!wanted(t)) continue;
    for (let k = 0; k < 3; k++) {
      const i = 3 * t + k;
      const j = 3 * t + ((k + 1) % 3);
      const a = Math.min(triangles[i], triangles[j]);
      const b = Math.max(triangles[i], triangles[j]);
      const key = a * size + b;
      open.set(key, open.has(key) ? null : [i, j]);
    }
  }
  return [...open.values()].filter((pair): pair is [number, number] => pair !== null);
}

/** thickness: of each body; shells with one get two sides and a rim. */
export function makeCorners(points: Float32Array, topology: Topology, thickness: (body: number) => number): Corners {
  const { point, triangles } = split(points, topology);
  const triangleCount = triangles.length / 3;
  const bodyOf = new Int32Array(triangleCount);
  let thick = false;
  for (let t = 0; t < triangleCount; t++) {
    bodyOf[t] = topology.body[topology.triangles[3 * t]];
    thick ||= thickness(bodyOf[t]) > 0;
  }
  const single = point.length;
  if (!thick) return { count: single, upper: single, lower: 0, rim: new Uint32Array(), point: Uint32Array.from(point), lift: new Float32Array(single), triangles, triangleBody: bodyOf };
  const half = point.map((node) => thickness(topology.body[node]) / 2);
  const all: number[] = Array.from(triangles);
  const bodies: number[] = Array.from(bodyOf);
  const isThick = (t: number) => thickness(bodyOf[t]) > 0;
  for (let t = 0; t < triangleCount; t++) {
    if (!isThick(t)) continue;
    all.push(single + triangles[3 * t], single + triangles[3 * t + 2], single + triangles[3 * t + 1]);
    bodies.push(bodyOf[t]);
  }
  const nodes = point.concat(point);
  const lifts = half.concat(half.map((x) => -x));
  const rim: number[] = [];
  for (const [i, j] of boundary(topology.triangles, isThick)) {
    const a = triangles[i];
    const b = triangles[j];
    const first = nodes.length;
    rim.push(a, b);
    nodes.push(point[a], point[a], point[b], point[b]);
    lifts.push(half[a], -half[a], half[b], -half[b]);
    all.push(first, first + 1, first + 2, first + 2, first + 1, first + 3);
    const body = bodyOf[Math.floor(i / 3)];
    bodies.push(body, body);
  }
  return {
    count: nodes.length,
    upper: single,
    lower: single,
    rim: Uint32Array.from(rim),
    point: Uint32Array.from(nodes),
    lift: Float32Array.from(lifts),
    triangles: Uint32Array.from(all),
    triangleBody: Int32Array.from(bodies),
  };
}

/** Area-weighted normals of the corners of one side, then positions with the lift. */
export function moveCorners(
  corners: Corners,
  topology: Topology,
  points: Float32Array,
  positions: Float32Array,
  normals: Float32Array,
): void {
  const { triangles } = topology;
  const index = corners.triangles;
  normals.fill(0);
  for (let t = 0; t < triangles.length; t += 3) {
    const a = 3 * triangles[t];
    const b = 3 * triangles[t + 1];
    const c = 3 * triangles[t + 2];
    const ax = points[a];
    const ay = points[a + 1];
    const az = points[a + 2];
    const ux = points[b] - ax;
    const uy = points[b + 1] - ay;
    const uz = points[b + 2] - az;
    const vx = points[c] - ax;
    const vy = points[c + 1] - ay;
    const vz = points[c + 2] - az;
    const nx = uy * vz - uz * vy;
    const ny = uz * vx - ux * vz;
    const nz = ux * vy - uy * vx;
    for (let k = 0; k < 3; k++) {
      const corner = 3 * index[t + k];
      normals[corner] += nx;
      normals[corner + 1] += ny;
      normals[corner + 2] += nz;
    }
  }
  const single = corners.upper;
  const twice = corners.lower > 0;
  for (let i = 0; i < single; i++) {
    const at = 3 * i;
    const length = Math.hypot(normals[at], normals[at + 1], normals[at + 2]) || 1;
    const from = 3 * corners.point[i];
    const lift = corners.lift[i];
    for (let k = 0; k < 3; k++) {
      const n = normals[at + k] / length;
      normals[at + k] = n;
      positions[at + k] = points[from + k] + lift * n;
      if (twice) {
        normals[at + 3 * single + k] = -n;
        positions[at + 3 * single + k] = points[from + k] - lift * n;
      }
    }
  }
  moveRim(corners, positions, normals);
}

/** Corners of the rim lie on those of the two sides; their normal points away from the sheet, within it. */
function moveRim(corners: Corners, positions: Float32Array, normals: Float32Array): void {
  for (let r = 0; r < corners.rim.length; r += 2) {
    const a = 3 * corners.rim[r];
    const b = 3 * corners.rim[r + 1];
    const ex = positions[b] - positions[a];
    const ey = positions[b + 1] - positions[a + 1];
    const ez = positions[b + 2] - positions[a + 2];
    const nx = ey * normals[a + 2] - ez * normals[a + 1];
    const ny = ez * normals[a] - ex * normals[a + 2];
    const nz = ex * normals[a + 1] - ey * normals[a];
    const length = Math.hypot(nx, ny, nz) || 1;
    const below = 3 * corners.upper;
    const sources = [a, a + below, b, b + below];
    for (let c = 0; c < 4; c++) {
      const at = 3 * (corners.upper + corners.lower + 2 * r + c);
      for (let k = 0; k < 3; k++) positions[at + k] = positions[sources[c] + k];
      normals[at] = nx / length;
      normals[at + 1] = ny / length;
      normals[at + 2] = nz / length;
    }
  }
}

/** Edges of the mesh, each once, as pairs of points. */
export function meshEdges(topology: Topology, visible: (body: number) => boolean): Uint32Array {
  const { triangles, hidden, body } = topology;
  const seen = new Set<number>();
  const size = body.length;
  const out: number[] = [];
  for (let t = 0; t < triangles.length / 3; t++) {
    if (!visible(body[triangles[3 * t]])) continue;
    for (let k = 0; k < 3; k++) {
      if (hidden[t] & (1 << ((k + 2) % 3))) continue;
      const i = triangles[3 * t + k];
      const j = triangles[3 * t + ((k + 1) % 3)];
      const key = Math.min(i, j) * size + Math.max(i, j);
      if (seen.has(key)) continue;
      seen.add(key);
      out.push(i, j);
    }
  }
  return Uint32Array.from(out);
}
