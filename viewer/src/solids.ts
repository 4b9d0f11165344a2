// Rods as tubes, particles as balls, contact forces as arrows.
import * as THREE from "three";
import type { Rgb } from "./colors";
import type { Frame, Topology } from "./packet";
import type { Look } from "./stage";

const WHITE = new THREE.Color(1, 1, 1);

/** An instanced mesh that grows with its number of instances. */
class Instances {
  mesh: THREE.InstancedMesh;

  constructor(
    private readonly geometry: THREE.BufferGeometry,
    readonly material: THREE.Material,
    private readonly parent: THREE.Group,
  ) {
    this.mesh = this.make(1);
  }

  private make(capacity: number): THREE.InstancedMesh {
    const mesh = new THREE.InstancedMesh(this.geometry, this.material, capacity);
    mesh.setColorAt(0, WHITE);
    mesh.count = 0;
    mesh.castShadow = mesh.receiveShadow = true;
    mesh.frustumCulled = false;
    this.parent.add(mesh);
    return mesh;
  }

  resize(count: number): void {
    if (count > this.mesh.instanceMatrix.count) {
      this.parent.remove(this.mesh);
      this.mesh.dispose();
      this.mesh = this.make(count);
    }
    this.mesh.count = count;
  }

  set(i: number, matrix: THREE.Matrix4, color: THREE.Color): void {
    this.mesh.setMatrixAt(i, matrix);
    this.mesh.setColorAt(i, color);
  }

  done(): void {
    this.mesh.instanceMatrix.needsUpdate = true;
    if (this.mesh.instanceColor) this.mesh.instanceColor.needsUpdate = true;
  }
}

function point(frame: Frame, i: number, out: THREE.Vector3): THREE.Vector3 {
  return out.fromArray(frame.points, 3 * i);
}

const UP = new THREE.Vector3(0, 1, 0);

export class RodsAndDots {
  readonly group = new THREE.Group();
  private readonly tubes: Instances;
  private readonly balls: Instances;
  readonly materials: THREE.MeshStandardMaterial[];
  private tubeEnds: number[] = [];
  private ballPoints: number[] = [];

  constructor() {
    const material = () => new THREE.MeshStandardMaterial({ roughness: 0.75 });
    this.tubes = new Instances(new THREE.CylinderGeometry(1, 1, 1, 10, 1, true), material(), this.group);
    this.balls = new Instances(new THREE.IcosahedronGeometry(1, 2), material(), this.group);
    this.materials = [this.tubes.material, this.balls.material] as THREE.MeshStandardMaterial[];
  }

  /** The points that a tube or ball stands for. */
  pointsOf(object: THREE.Object3D, instance: number): number[] {
    if (object === this.tubes.mesh) return this.tubeEnds.slice(2 * instance, 2 * instance + 2);
    return object === this.balls.mesh ? [this.ballPoints[instance]] : [];
  }

  /** Thickness counts when the scene says it and the look wants it; else everything gets a default one. */
  update(
    frame: Frame,
    topology: Topology,
    size: number,
    look: Look,
    thickness: (body: number) => number,
    color: (point: number) => Rgb,
  ): void {
    const radius = (i: number, fallback: number) => {
      const own = thickness(topology.body[i]);
      return look.thickness && own > 0 ? own / 2 : fallback;
    };
    const shown = (i: number) => !look.hidden.has(topology.body[i]);
    const lines: number[] = [];
    const ends = new Set<number>();
    for (let l = 0; l < topology.lines.length; l += 2) {
      if (!shown(topology.lines[l])) continue;
      lines.push(topology.lines[l], topology.lines[l + 1]);
      ends.add(topology.lines[l]).add(topology.lines[l + 1]);
    }
    const dots = Array.from(topology.dots).filter(shown);
    const a = new THREE.Vector3();
    const b = new THREE.Vector3();
    const turn = new THREE.Quaternion();
    const scale = new THREE.Vector3();
    const matrix = new THREE.Matrix4();
    const paint = new THREE.Color();
    this.tubes.resize(lines.length / 2);
    for (let l = 0; l < lines.length; l += 2) {
      point(frame, lines[l], a);
      point(frame, lines[l + 1], b);
      const r = radius(lines[l], 0.004 * size);
      const length = a.distanceTo(b);
      b.sub(a);
      turn.setFromUnitVectors(UP, scale.copy(b).normalize());
      a.addScaledVector(b, 0.5);
      matrix.compose(a, turn, scale.set(r, length, r));
      this.tubes.set(l / 2, matrix, paint.setRGB(...color(lines[l])));
    }
    this.tubes.done();
    this.tubeEnds = lines;
    this.ballPoints = [...ends, ...dots];
    this.balls.resize(ends.size + dots.length);
    let ball = 0;
    turn.identity();
    const add = (i: number, r: number) => {
      matrix.compose(point(frame, i, a), turn, scale.set(r, r, r));
      this.balls.set(ball++, matrix, paint.setRGB(...color(i)));
    };
    for (const i of ends) add(i, radius(i, 0.004 * size));
    for (const i of dots) add(i, radius(i, 0.006 * size));
    this.balls.done();
  }
}

export const CONTACT_FIELD = "contact_force";

/** The force of contact on each point as an arrow. */
export class ContactArrows {
  readonly group = new THREE.Group();
  private readonly shafts: Instances;
  private readonly heads: Instances;
  /** Of the forces of this frame, in N: the arrow of full length. */
  largest = 0;

  constructor() {
    const material = () => new THREE.MeshBasicMaterial({ color: 0xd92d4a, depthTest: false, transparent: true, opacity: 0.92 });
    this.shafts = new Instances(new THREE.CylinderGeometry(1, 1, 1, 8, 1), material(), this.group);
    this.heads = new Instances(new THREE.ConeGeometry(1, 1, 12), material(), this.group);
  }

  /** The longest arrow is a tenth of the scene; short ones grow with the root, so that they can be seen. */
  update(frame: Frame, wanted: boolean, size: number): void {
    const field = frame.fields.get(CONTACT_FIELD);
    this.group.visible = wanted && field !== undefined && field.components === 3;
    this.largest = 0;
    if (!this.group.visible || !field) return;
    const f = field.values;
    for (let i = 0; i < f.length; i += 3) this.largest = Math.max(this.largest, Math.hypot(f[i], f[i + 1], f[i + 2]));
    const shown: number[] = [];
    for (let i = 0; this.largest > 0 && i < f.length; i += 3)
      if (Math.hypot(f[i], f[i + 1], f[i + 2]) > 1e-6 * this.largest) shown.push(i);
    for (const part of [this.shafts, this.heads]) {
      part.resize(shown.length);
      part.mesh.castShadow = part.mesh.receiveShadow = false;
      part.mesh.renderOrder = 2;
    }
    const from = new THREE.Vector3();
    const along = new THREE.Vector3();
    const turn = new THREE.Quaternion();
    const scale = new THREE.Vector3();
    const matrix = new THREE.Matrix4();
    shown.forEach((i, k) => {
      along.fromArray(f, i);
      const length = 0.1 * size * Math.sqrt(along.length() / this.largest);
      along.normalize();
      turn.setFromUnitVectors(UP, along);
      const head = Math.min(0.4 * length, 0.016 * size);
      const width = Math.min(0.12 * length, 0.002 * size);
      from.fromArray(frame.points, i).addScaledVector(along, (length - head) / 2);
      this.shafts.set(k, matrix.compose(from, turn, scale.set(width, length - head, width)), WHITE);
      from.fromArray(frame.points, i).addScaledVector(along, length - head / 2);
      this.heads.set(k, matrix.compose(from, turn, scale.set(2.6 * width, head, 2.6 * width)), WHITE);
    });
    this.shafts.done();
    this.heads.done();
  }

  get count(): number {
    return this.group.visible ? this.heads.mesh.count : 0;
  }
}
