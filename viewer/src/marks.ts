// What one has pointed at: a ball at the picked point, its trail, the ruler, and marks at bad places.
import * as THREE from "three";

const ACCENT = 0xff7a1a;

export class Marks {
  readonly group = new THREE.Group();
  private readonly ball: THREE.Mesh;
  private readonly trail: THREE.Line;
  private readonly ruler: THREE.Line;
  private readonly bad: THREE.Points;
  private readonly band: THREE.Line;
  private readonly hand: THREE.Mesh;
  private readonly arrow = new THREE.Group();

  private readonly direction = new THREE.Vector3();
  private length = 0;

  constructor() {
    const over = { depthTest: false, transparent: true };
    this.ball = new THREE.Mesh(new THREE.SphereGeometry(1, 20, 14), new THREE.MeshBasicMaterial({ color: ACCENT, ...over, opacity: 0.9 }));
    this.trail = new THREE.Line(new THREE.BufferGeometry(), new THREE.LineBasicMaterial({ color: ACCENT, ...over, opacity: 0.85 }));
    this.ruler = new THREE.Line(new THREE.BufferGeometry(), new THREE.LineBasicMaterial({ color: 0x1b7f4b, ...over }));
    this.bad = new THREE.Points(new THREE.BufferGeometry(), new THREE.PointsMaterial({ color: 0xe00034, size: 9, sizeAttenuation: false, ...over }));
    this.band = new THREE.Line(new THREE.BufferGeometry(), new THREE.LineBasicMaterial({ color: ACCENT, ...over }));
    this.hand = new THREE.Mesh(this.ball.geometry, this.ball.material);
    for (const item of [this.ball, this.trail, this.ruler, this.bad, this.band, this.hand]) {
      item.renderOrder = 3;
      item.frustumCulled = false;
      item.visible = false;
      this.group.add(item);
    }
    // Along y, of length 1; seen through the bodies, as its middle is within one.
    const paint = new THREE.MeshBasicMaterial({ color: ACCENT, ...over, opacity: 0.9 });
    const shaft = new THREE.Mesh(new THREE.CylinderGeometry(0.018, 0.018, 0.78, 16).translate(0, 0.39, 0), paint);
    const head = new THREE.Mesh(new THREE.ConeGeometry(0.065, 0.22, 24).translate(0, 0.89, 0), paint);
    shaft.renderOrder = head.renderOrder = 3;
    this.arrow.add(shaft, head);
    this.arrow.visible = false;
    this.group.add(this.arrow);
  }

  setPicked(at: THREE.Vector3 | null, radius: number): void {
    this.ball.visible = at !== null;
    if (at) {
      this.ball.position.copy(at);
      this.ball.scale.setScalar(radius);
    }
  }

  private line(target: THREE.Line, points: number[]): void {
    target.visible = points.length >= 6;
    target.geometry.dispose();
    target.geometry = new THREE.BufferGeometry();
    target.geometry.setAttribute("position", new THREE.Float32BufferAttribute(points, 3));
  }

  /** From a point that is pulled to where the hand is; null takes it away. */
  setBand(from: THREE.Vector3 | null, to: THREE.Vector3 | null, radius: number): void {
    this.line(this.band, from && to ? [...from.toArray(), ...to.toArray()] : []);
    this.hand.visible = to !== null;
    if (to) {
      this.hand.position.copy(to);
      this.hand.scale.setScalar(radius);
    }
  }

  setTrail(points: number[]): void {
    this.line(this.trail, points);
  }

  setRuler(points: number[]): void {
    this.line(this.ruler, points);
  }

  setBad(points: number[]): void {
    this.bad.visible = points.length > 0;
    this.bad.geometry.dispose();
    this.bad.geometry = new THREE.BufferGeometry();
    this.bad.geometry.setAttribute("position", new THREE.Float32BufferAttribute(points, 3));
  }

  /** What a picture of all should have in it: the ends of the arrow. */
  extent(): number[] {
    if (!this.arrow.visible) return [];
    return [...this.arrow.position.toArray(), ...this.arrow.position.clone().addScaledVector(this.direction, this.length).toArray()];
  }

  get badCount(): number {
    return this.bad.visible ? this.bad.geometry.getAttribute("position").count : 0;
  }

  /** The translation that would free a body. */
  setSuggestion(from: THREE.Vector3 | null, by: THREE.Vector3, size: number): void {
    this.arrow.visible = from !== null && by.lengthSq() > 0;
    if (!from || !this.arrow.visible) return;
    const length = Math.max(by.length(), 0.12 * size); // short ones are drawn long enough to be seen
    this.arrow.position.copy(from);
    this.length = length;
    this.direction.copy(by).normalize();
    this.arrow.quaternion.setFromUnitVectors(new THREE.Vector3(0, 1, 0), this.direction);
    this.arrow.scale.setScalar(length);
  }
}
