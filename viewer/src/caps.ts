// The faces that a cut leaves on closed bodies: where a ray to the eye crosses one more back than front behind the plane,
// the plane is inside. Counted in the stencil buffer.
import * as THREE from "three";
import type { Topology } from "./packet";

/** Bodies whose triangles form closed, evenly turned surfaces: every edge once in each direction. */
export function closedBodies(topology: Topology): Set<number> {
  const { triangles, body } = topology;
  const open = new Map<number, number>(); // edge -> body, while its other side was not seen
  const size = body.length;
  const all = new Set<number>();
  const bad = new Set<number>();
  for (let t = 0; t < triangles.length; t += 3) {
    all.add(body[triangles[t]]);
    for (let k = 0; k < 3; k++) {
      const a = triangles[t + k];
      const b = triangles[t + ((k + 1) % 3)];
      if (open.has(b * size + a)) open.delete(b * size + a);
      else if (open.has(a * size + b)) bad.add(body[a]);
      else open.set(a * size + b, body[a]);
    }
  }
  for (const item of open.values()) bad.add(item);
  return new Set([...all].filter((item) => !bad.has(item)));
}

export class Caps {
  readonly group = new THREE.Group();
  private readonly back: THREE.Mesh;
  private readonly front: THREE.Mesh;
  private readonly face: THREE.Mesh;
  private key = "";

  constructor() {
    const counter = (side: THREE.Side, operation: THREE.StencilOp) =>
      new THREE.MeshBasicMaterial({
        side,
        colorWrite: false,
        depthWrite: false,
        depthTest: false,
        stencilWrite: true,
        stencilFunc: THREE.AlwaysStencilFunc,
        stencilFail: operation,
        stencilZFail: operation,
        stencilZPass: operation,
      });
    this.back = new THREE.Mesh(new THREE.BufferGeometry(), counter(THREE.BackSide, THREE.IncrementWrapStencilOp));
    this.front = new THREE.Mesh(new THREE.BufferGeometry(), counter(THREE.FrontSide, THREE.DecrementWrapStencilOp));
    this.face = new THREE.Mesh(
      new THREE.PlaneGeometry(1, 1),
      new THREE.MeshStandardMaterial({
        color: 0xb8a58c,
        roughness: 1,
        side: THREE.DoubleSide,
        stencilWrite: true,
        stencilFunc: THREE.NotEqualStencilFunc,
        stencilRef: 0,
        stencilFail: THREE.ReplaceStencilOp,
        stencilZFail: THREE.ReplaceStencilOp,
        stencilZPass: THREE.ReplaceStencilOp,
      }),
    );
    this.back.frustumCulled = this.front.frustumCulled = this.face.frustumCulled = false;
    this.back.renderOrder = this.front.renderOrder = 1;
    this.face.renderOrder = 1.1;
    this.group.add(this.back, this.front, this.face);
    this.group.visible = false;
  }

  /** plane: null without a cut. The geometry is that of the surface; only closed bodies that are shown count. */
  update(surface: THREE.BufferGeometry, topology: Topology, triangles: Uint32Array, bodyOf: Int32Array, hidden: Set<number>, plane: THREE.Plane | null, center: THREE.Vector3, size: number): void {
    this.group.visible = plane !== null;
    if (!plane) return;
    const key = `${topology.id} ${triangles.length} ${[...hidden].sort().join(",")} ${surface.uuid}`;
    if (this.key !== key) {
      this.key = key;
      const closed = closedBodies(topology);
      const kept: number[] = [];
      // Shells with two sides and a rim are closed as well, but their topology has one side: their caps are left out.
      for (let t = 0; t < bodyOf.length; t++)
        if (closed.has(bodyOf[t]) && !hidden.has(bodyOf[t])) kept.push(triangles[3 * t], triangles[3 * t + 1], triangles[3 * t + 2]);
      for (const mesh of [this.back, this.front]) {
        mesh.geometry.dispose();
        mesh.geometry = new THREE.BufferGeometry();
        mesh.geometry.setAttribute("position", surface.getAttribute("position"));
        mesh.geometry.setIndex(kept);
      }
    }
    for (const mesh of [this.back, this.front]) (mesh.material as THREE.Material).clippingPlanes = [plane];
    const middle = plane.projectPoint(center, new THREE.Vector3());
    this.face.position.copy(middle);
    this.face.quaternion.setFromUnitVectors(new THREE.Vector3(0, 0, 1), plane.normal.clone().negate());
    this.face.scale.setScalar(3 * size);
  }
}
