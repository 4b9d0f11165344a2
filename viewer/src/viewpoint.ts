// From where the scene is seen: a camera that turns around a target, moves smoothly to a new place, and looks either in
// perspective or straight. The perspective camera keeps the pose; the straight one is made from it for every picture.
import * as THREE from "three";
import { OrbitControls } from "three/examples/jsm/controls/OrbitControls.js";

export interface Pose {
  position: THREE.Vector3;
  target: THREE.Vector3;
}

const HALF_ANGLE = (14 * Math.PI) / 180;
const MOVE_SECONDS = 0.45;

export function calmMotion(): boolean {
  return window.matchMedia("(prefers-reduced-motion: reduce)").matches;
}

export class Viewpoint {
  readonly camera = new THREE.PerspectiveCamera((2 * HALF_ANGLE * 180) / Math.PI, 1, 0.01, 100);
  readonly controls: OrbitControls;
  private readonly straight = new THREE.OrthographicCamera();
  private move: { from: Pose; to: Pose; start: number } | null = null;
  orthographic = false;
  /** The camera was not moved by hand yet: it may be fitted again when the window changes. */
  untouched = true;

  constructor(
    canvas: HTMLCanvasElement,
    private readonly changed: () => void,
  ) {
    this.controls = new OrbitControls(this.camera, canvas);
    this.controls.enableDamping = !calmMotion();
    this.controls.dampingFactor = 0.18;
    this.controls.addEventListener("change", changed);
    this.controls.addEventListener("start", () => {
      this.move = null;
      this.untouched = false;
    });
  }

  get up(): THREE.Vector3 {
    return this.camera.up;
  }

  setUp(up: [number, number, number]): void {
    this.camera.up.set(...up);
    // The controls measure angles from the axis that was up when they were made.
    const quaternion = new THREE.Quaternion().setFromUnitVectors(this.camera.up, new THREE.Vector3(0, 1, 0));
    Object.assign(this.controls, { _quat: quaternion, _quatInverse: quaternion.clone().invert() });
  }

  resize(aspect: number): void {
    this.camera.aspect = aspect;
    this.camera.updateProjectionMatrix();
  }

  get distance(): number {
    return this.camera.position.distanceTo(this.controls.target);
  }

  /** The camera to draw with; `size` is the extent of the scene around `center`. */
  forDrawing(center: THREE.Vector3, size: number): THREE.Camera & { near: number; far: number } {
    const { camera } = this;
    const away = camera.position.distanceTo(center);
    camera.near = Math.max(1e-3 * this.distance, 0.5 * (away - 4 * size));
    camera.far = away + 12 * size;
    camera.updateProjectionMatrix();
    camera.updateMatrixWorld();
    if (!this.orthographic) return camera;
    const half = this.distance * Math.tan(HALF_ANGLE);
    const { straight } = this;
    straight.top = half;
    straight.bottom = -half;
    straight.right = half * camera.aspect;
    straight.left = -straight.right;
    straight.near = -(away + 12 * size);
    straight.far = away + 12 * size;
    straight.position.copy(camera.position);
    straight.quaternion.copy(camera.quaternion);
    straight.updateProjectionMatrix();
    straight.updateMatrixWorld();
    return straight;
  }

  /** Length in the scene of one pixel at the target. */
  pixelSize(height: number): number {
    return (2 * this.distance * Math.tan(HALF_ANGLE)) / Math.max(1, height);
  }

  defaultDirection(): THREE.Vector3 {
    const { up } = this;
    const side = Math.abs(up.z) > 0.5 ? new THREE.Vector3(0, -1, 0) : new THREE.Vector3(0, 0, 1);
    const right = new THREE.Vector3().crossVectors(up, side);
    return side.clone().addScaledVector(right, 0.6).addScaledVector(up, 0.4).normalize();
  }

  direction(): THREE.Vector3 {
    return this.camera.position.clone().sub(this.controls.target).normalize();
  }

  /** The nearest pose from this direction that has all points in the picture, with even margins. */
  poseFor(points: ArrayLike<number>, from: THREE.Vector3, margin = 1.12): Pose {
    const forward = from.clone().normalize().negate();
    let side = new THREE.Vector3().crossVectors(forward, this.up);
    if (side.lengthSq() < 1e-6) side = new THREE.Vector3().crossVectors(forward, this.defaultDirection().negate());
    side.normalize();
    const above = new THREE.Vector3().crossVectors(side, forward);
    const ty = Math.tan(HALF_ANGLE) / margin;
    const tx = ty * this.camera.aspect;
    const slope = this.orthographic ? 0 : 1;
    const reach = [-Infinity, -Infinity, -Infinity, -Infinity];
    let near = Infinity;
    let far = -Infinity;
    for (let i = 0; i + 2 < points.length; i += 3) {
      const x = points[i] * side.x + points[i + 1] * side.y + points[i + 2] * side.z;
      const y = points[i] * above.x + points[i + 1] * above.y + points[i + 2] * above.z;
      const z = points[i] * forward.x + points[i + 1] * forward.y + points[i + 2] * forward.z;
      if (!Number.isFinite(x + y + z)) continue;
      reach[0] = Math.max(reach[0], x - slope * z * tx);
      reach[1] = Math.max(reach[1], -x - slope * z * tx);
      reach[2] = Math.max(reach[2], y - slope * z * ty);
      reach[3] = Math.max(reach[3], -y - slope * z * ty);
      near = Math.min(near, z);
      far = Math.max(far, z);
    }
    if (!(far >= near)) return { position: forward.clone().multiplyScalar(-1), target: new THREE.Vector3() };
    const middle = (near + far) / 2;
    const x = (reach[0] - reach[1]) / 2;
    const y = (reach[2] - reach[3]) / 2;
    const halfX = (reach[0] + reach[1]) / 2;
    const halfY = (reach[2] + reach[3]) / 2;
    let distance = this.orthographic ? Math.max(halfX / tx, halfY / ty) : middle - Math.min(-halfX / tx, -halfY / ty);
    distance = Math.max(distance, 1e-6, this.orthographic ? 0 : (middle - near) * 1.02);
    const target = side.multiplyScalar(x).addScaledVector(above, y).addScaledVector(forward, middle);
    return { position: target.clone().addScaledVector(forward, -distance), target };
  }

  go(to: Pose, smooth: boolean): void {
    if (!smooth || calmMotion()) {
      this.move = null;
      this.set(to);
      return;
    }
    this.move = { from: { position: this.camera.position.clone(), target: this.controls.target.clone() }, to, start: performance.now() };
    this.changed();
  }

  private set(pose: Pose): void {
    this.camera.position.copy(pose.position);
    this.controls.target.copy(pose.target);
    this.controls.update();
    this.changed();
  }

  /** Moves camera and target together, to follow something. */
  shift(by: THREE.Vector3): void {
    this.camera.position.add(by);
    this.controls.target.add(by);
    this.controls.update();
    this.changed();
  }

  get moving(): boolean {
    return this.move !== null;
  }

  /** One step of a move or of the damping. */
  tick(): void {
    if (!this.move) {
      this.controls.update();
      return;
    }
    const { from, to, start } = this.move;
    const t = Math.min(1, (performance.now() - start) / (1000 * MOVE_SECONDS));
    const s = t * t * (3 - 2 * t);
    // Directions turn and distances change by a factor, so that the camera does not cut through the scene.
    const a = from.position.clone().sub(from.target);
    const b = to.position.clone().sub(to.target);
    const length = a.length() ** (1 - s) * b.length() ** s;
    const turn = new THREE.Quaternion().setFromUnitVectors(a.clone().normalize(), b.clone().normalize());
    const offset = a.normalize().applyQuaternion(new THREE.Quaternion().slerp(turn, s)).multiplyScalar(length);
    const target = from.target.clone().lerp(to.target, s);
    if (t >= 1) this.move = null;
    this.set(t >= 1 ? to : { position: target.clone().add(offset), target });
  }

  state(): number[] {
    const to = this.move?.to ?? { position: this.camera.position, target: this.controls.target };
    return [...to.position.toArray(), ...to.target.toArray()];
  }

  setState(state: number[]): void {
    this.go({ position: new THREE.Vector3().fromArray(state), target: new THREE.Vector3().fromArray(state, 3) }, false);
  }
}
