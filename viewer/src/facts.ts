// What scene.json says that a picture wants to know.

export interface BodyFacts {
  name: string;
  type: string;
  obstacle: boolean;
  /** Diameter of rods and particles, thickness of shells; 0 when the scene does not say. */
  thickness: number;
}

export interface Plane {
  origin: [number, number, number];
  normal: [number, number, number];
}

export interface SceneFacts {
  name: string;
  up: [number, number, number];
  gravity: boolean;
  bodies: BodyFacts[];
  planes: Plane[];
}

type Json = Record<string, unknown>;

function isVector(value: unknown): value is [number, number, number] {
  return Array.isArray(value) && value.length === 3 && value.every((x) => typeof x === "number");
}

function number(value: unknown): number {
  return typeof value === "number" && Number.isFinite(value) ? value : 0;
}

/** Of the material or in contact, the larger. */
function thicknessOf(body: Json): number {
  const part = (name: string) => (body[name] ?? {}) as Json;
  const material = number(part("shell").thickness) || number(part("rod").diameter) || 2 * number(part("particles").radius);
  return Math.max(material, number(body.offset));
}

function upOf(gravity: unknown): { up: [number, number, number]; gravity: boolean } {
  const up: [number, number, number] = [0, 1, 0];
  if (!isVector(gravity)) return { up, gravity: false };
  const largest = Math.max(...gravity.map(Math.abs));
  if (largest === 0) return { up, gravity: false };
  const axis = gravity.findIndex((x) => Math.abs(x) === largest);
  up.fill(0);
  up[axis] = gravity[axis] > 0 ? -1 : 1;
  return { up, gravity: true };
}

export function readScene(text: string | null, fallback: string): SceneFacts {
  const scene = (text ? JSON.parse(text) : {}) as Json;
  const bodies = ((scene.bodies ?? []) as Json[])
    .filter((body) => body.enabled !== false) // frames do not count bodies that are switched off
    .map((body, i) => ({
      name: String(body.name ?? `body ${i}`),
      type: String(body.type ?? "deformable"),
      obstacle: body.type === "obstacle",
      thickness: thicknessOf(body),
    }));
  const planes: Plane[] = [];
  if (typeof scene.ground === "number") planes.push({ origin: [0, scene.ground, 0], normal: [0, 1, 0] });
  for (const item of (scene.half_spaces ?? []) as Json[])
    if (isVector(item.origin) && isVector(item.normal)) planes.push({ origin: item.origin, normal: item.normal });
  return { name: String(scene.name ?? fallback), ...upOf(scene.gravity), bodies, planes };
}
