// The 3D view: one frame at a time, drawn when something has changed, and better and better while nothing does.
import * as THREE from "three";
import { Backdrop, type BackdropColors, Lights } from "./backdrop";
import { Caps } from "./caps";
import { type ColorScale, type Rgb, bodyColor, mapColor, neutralColor, scalePosition } from "./colors";
import type { Plane, SceneFacts } from "./facts";
import { type Component, fieldValue } from "./frames";
import { Marks } from "./marks";
import type { Frame, Topology } from "./packet";
import { PASSES, Refiner } from "./refine";
import { ContactArrows, RodsAndDots } from "./solids";
import { SurfaceMesh } from "./surface";
import { Viewpoint } from "./viewpoint";

export type SurfaceMode = "surface" | "edges" | "wireframe";
export type Finish = "matte" | "satin" | "glossy";

export interface ClipPlane {
  axis: 0 | 1 | 2;
  /** Position between the ends of the scene, 0 to 1. */
  place: number;
  flip: boolean;
}

/** How a frame is drawn. */
export interface Look {
  color: string; // "body" or the name of a field
  component: Component;
  scale: ColorScale;
  isoLines: boolean;
  mode: SurfaceMode;
  finish: Finish;
  flat: boolean;
  thickness: boolean;
  shadows: boolean;
  floor: boolean;
  contacts: boolean;
  trail: boolean;
  clip: ClipPlane | null;
  hidden: Set<number>;
}

export interface Hit {
  point: number; // nearest point of the frame
  body: number;
  position: THREE.Vector3; // in the coordinates of the stage
}

const FINISHES: Record<Finish, { roughness: number; metalness: number; reflection: number }> = {
  matte: { roughness: 0.95, metalness: 0, reflection: 0 },
  satin: { roughness: 0.55, metalness: 0, reflection: 0.25 },
  glossy: { roughness: 0.16, metalness: 0.05, reflection: 0.75 },
};

const ISO_LINES = 10;
/** Milliseconds without a change before passes are added up. */
const REST = 120;

export class Stage {
  readonly renderer: THREE.WebGLRenderer;
  readonly view: Viewpoint;
  readonly marks: Marks;
  readonly surface = new SurfaceMesh();
  private readonly scene = new THREE.Scene();
  private readonly backdrop = new Backdrop();
  private readonly lights: Lights;
  private readonly refiner: Refiner;
  private readonly solids = new RodsAndDots();
  private readonly arrows = new ContactArrows();
  private readonly caps = new Caps();
  private readonly ghost = new SurfaceMesh();
  private facts: SceneFacts | null = null;
  private frame: Frame | null = null;
  private look: Look | null = null;
  private origin = new THREE.Vector3();
  private bounds = [-1, -1, -1, 1, 1, 1];
  private stale = true;
  private staleAt = 0;
  private fitted = false;
  private beside = false;
  private framesDrawn = 0;
  private refineBudget = 2500; // ms of refining one picture may take
  private refineSpent = 0;
  /** Called after every picture, for what lies over it. */
  onDraw: () => void = () => {};

  constructor(readonly canvas: HTMLCanvasElement) {
    this.renderer = new THREE.WebGLRenderer({ canvas, antialias: true, stencil: true, preserveDrawingBuffer: true });
    this.renderer.setPixelRatio(Math.min(2, window.devicePixelRatio));
    this.renderer.shadowMap.enabled = true;
    this.renderer.shadowMap.type = THREE.PCFSoftShadowMap;
    this.renderer.localClippingEnabled = true;
    this.view = new Viewpoint(canvas, () => this.touch());
    this.lights = new Lights(this.scene);
    this.refiner = new Refiner(this.renderer);
    this.marks = new Marks();
    this.ghost.material.transparent = true;
    this.ghost.material.opacity = 0.35;
    this.ghost.material.depthWrite = false;
    this.ghost.mesh.castShadow = false;
    this.ghost.edges.visible = false;
    this.ghost.group.visible = false;
    this.scene.add(this.surface.group, this.solids.group, this.arrows.group, this.caps.group, this.backdrop.group, this.marks.group, this.ghost.group);
  }

  get pictures(): number {
    return this.framesDrawn;
  }

  get passes(): number {
    return this.refiner.passes;
  }

  get hasFrame(): boolean {
    return this.frame !== null;
  }

  get triangleCount(): number {
    return this.surface.triangleCount;
  }

  get contactArrows(): { count: number; largest: number } {
    return { count: this.arrows.count, largest: this.arrows.largest };
  }

  touch(): void {
    this.stale = true;
    this.staleAt = performance.now();
  }

  setFacts(facts: SceneFacts): void {
    this.facts = facts;
    this.surface.forget();
    this.view.setUp(facts.up);
    this.touch();
  }

  setColors(colors: BackdropColors, line: string): void {
    this.backdrop.setColors(this.scene, colors);
    this.surface.lineMaterial.color.set(line);
    const generator = new THREE.PMREMGenerator(this.renderer);
    const room = new THREE.Scene();
    room.background = this.scene.background;
    room.add(new THREE.Mesh(new THREE.SphereGeometry(0.8), new THREE.MeshBasicMaterial({ color: 0xffffff })));
    room.children[0].position.set(3, 4, 3);
    this.scene.environment?.dispose();
    this.scene.environment = generator.fromScene(room, 0.02).texture;
    generator.dispose();
    this.touch();
  }

  resize(width: number, height: number): void {
    if (width < 1 || height < 1) return;
    this.renderer.setSize(width, height, false);
    this.view.resize(width / height);
    if (this.fitted && this.view.untouched) this.fit(this.view.direction().toArray() as [number, number, number], false, true);
    this.touch();
  }

  // ---- the frame ----

  show(frame: Frame, topology: Topology, bounds: number[], look: Look): void {
    this.frame = frame;
    this.look = look;
    this.origin.set(...frame.origin);
    this.bounds = bounds.every(Number.isFinite) ? bounds : this.bounds;
    const shells = (body: number) => (look.thickness && this.facts?.bodies[body]?.type === "shell" ? this.thickness(body) : 0);
    const field = look.color !== "body";
    this.surface.use(frame, topology, shells, look.thickness);
    this.surface.choose(look.hidden, look.mode !== "surface");
    this.surface.move(frame);
    this.surface.paintBodies((body) => this.bodyColor(body), field);
    if (field) this.surface.paintField(frame, look.color, look.component);
    this.surface.setScale(look.scale, look.isoLines ? ISO_LINES : 0);
    this.solids.update(frame, topology, this.size(), look, (body) => this.thickness(body), (i) => this.pointColor(frame, topology, look, i));
    this.arrows.update(frame, look.contacts, this.size());
    this.applyLook(look, topology);
    this.placeFloor(look);
    if (!this.fitted) this.fit(undefined, false);
    this.touch();
  }

  /** Another run over this one, translucent, or beside it; null takes it away. */
  showGhost(frame: Frame | null, topology: Topology | null, beside: boolean): void {
    this.ghost.group.visible = frame !== null && topology !== null;
    const turned = this.beside !== (beside && this.ghost.group.visible);
    this.beside = beside && this.ghost.group.visible;
    if (frame && topology) {
      this.ghost.use(frame, topology, () => 0, false);
      this.ghost.choose(new Set(), false);
      this.ghost.move(frame);
      this.ghost.material.opacity = beside ? 1 : 0.35;
      this.ghost.material.depthWrite = beside;
      this.ghost.material.transparent = !beside;
      this.ghost.material.needsUpdate = true;
      this.ghost.paintBodies((body) => this.bodyColor(body), this.look !== null && this.look.color !== "body");
      if (this.look && this.look.color !== "body") this.ghost.paintField(frame, this.look.color, this.look.component);
      const apart = this.sideways().multiplyScalar(beside ? 0.75 * this.size() : 0);
      this.ghost.group.position.set(...frame.origin).sub(this.origin).add(apart);
    }
    if (turned) this.fit(undefined, true);
    this.touch();
  }

  private sideways(): THREE.Vector3 {
    const { up } = this.view;
    return new THREE.Vector3().crossVectors(up, Math.abs(up.z) > 0.5 ? new THREE.Vector3(0, -1, 0) : new THREE.Vector3(0, 0, 1));
  }

  private thickness(body: number): number {
    return this.facts?.bodies[body]?.thickness ?? 0;
  }

  private bodyColor(body: number): Rgb {
    return this.facts?.bodies[body]?.obstacle ? neutralColor : bodyColor(body);
  }

  private pointColor(frame: Frame, topology: Topology, look: Look, point: number): Rgb {
    if (look.color === "body") return this.bodyColor(topology.body[point]);
    const field = frame.fields.get(look.color);
    if (!field) return neutralColor;
    return mapColor(look.scale.map, scalePosition(look.scale, fieldValue(field.values, field.components, point, look.component)));
  }

  // ---- the look ----

  private applyLook(look: Look, topology: Topology): void {
    const { material, lineMaterial, mesh, edges, corners } = this.surface;
    mesh.visible = look.mode !== "wireframe";
    edges.visible = look.mode !== "surface";
    const finish = FINISHES[look.finish];
    for (const item of [material, ...this.solids.materials]) {
      item.roughness = finish.roughness;
      item.metalness = finish.metalness;
      item.envMapIntensity = finish.reflection;
    }
    this.scene.environmentIntensity = finish.reflection;
    if (material.flatShading !== look.flat) {
      material.flatShading = look.flat;
      material.needsUpdate = true;
    }
    this.lights.sun.castShadow = this.lights.part.castShadow = look.shadows;
    const plane = look.clip ? this.clipPlane(look.clip) : null;
    for (const item of [material, lineMaterial, ...this.solids.materials]) item.clippingPlanes = plane ? [plane] : [];
    if (corners) this.caps.update(mesh.geometry, topology, corners.triangles, corners.triangleBody, look.hidden, look.mode === "wireframe" ? null : plane, this.center(), this.size());
  }

  private clipPlane(clip: ClipPlane): THREE.Plane {
    const low = this.bounds[clip.axis];
    const high = this.bounds[clip.axis + 3];
    const at = low + clip.place * (high - low);
    const normal = new THREE.Vector3();
    normal.setComponent(clip.axis, clip.flip ? 1 : -1);
    return new THREE.Plane(normal, clip.flip ? -at : at);
  }

  size(): number {
    const b = this.bounds;
    return Math.hypot(b[3] - b[0], b[4] - b[1], b[5] - b[2]) || 1;
  }

  center(): THREE.Vector3 {
    const b = this.bounds;
    return new THREE.Vector3((b[0] + b[3]) / 2, (b[1] + b[4]) / 2, (b[2] + b[5]) / 2);
  }

  /** The scene's half-spaces; where there is gravity and none of them, a floor below all frames seen so far. */
  private placeFloor(look: Look): void {
    const { facts } = this;
    this.backdrop.visible = look.floor;
    if (!facts || !look.floor) return;
    const up = this.view.up;
    let below: Plane | null = null;
    if (facts.gravity && !this.isFlat()) {
      const [low, high] = [0, 3].map((at) => new THREE.Vector3().fromArray(this.bounds, at));
      const lowest = Math.min(low.dot(up), high.dot(up)) - 0.002 * this.size();
      const at = this.origin.clone().addScaledVector(up, lowest);
      below = { origin: [at.x, at.y, at.z], normal: [up.x, up.y, up.z] };
    }
    this.backdrop.place(facts.planes, below, this.origin, this.center(), this.size());
  }

  private isFlat(): boolean {
    return this.bounds[5] - this.bounds[2] < 1e-9 * this.size();
  }

  // ---- the camera ----

  /** Fits what is shown: the present frame, or the ends of all frames. Without a direction it keeps the present one. */
  fit(direction?: [number, number, number], smooth = true, all = false): void {
    const first = !this.fitted;
    this.fitted = true;
    if (smooth && !first) this.view.untouched = false;
    const from = direction ? new THREE.Vector3(...direction) : first ? (this.isFlat() ? new THREE.Vector3(0, 0, 1) : this.view.defaultDirection()) : this.view.direction();
    this.view.go(this.view.poseFor(all || first ? this.boxPoints() : this.shownPoints(), from), smooth && !first);
  }

  /** More frames are known; a camera that was not moved by hand follows. */
  refit(bounds: number[]): void {
    if (!this.fitted || !this.view.untouched) return;
    this.bounds = bounds;
    this.fit(this.view.direction().toArray() as [number, number, number], true, true);
    this.view.untouched = true;
  }

  /** Back to the direction of the start. */
  home(): void {
    this.fit(this.isFlat() ? [0, 0, 1] : (this.view.defaultDirection().toArray() as [number, number, number]));
  }

  /** The other run's points, where they are drawn beside this one. */
  private ghostPoints(): number[] {
    const { group, mesh } = this.ghost;
    if (!group.visible || !this.beside) return [];
    mesh.geometry.computeBoundingBox();
    const box = mesh.geometry.boundingBox?.clone().translate(group.position);
    const out: number[] = [];
    for (let i = 0; box && i < 8; i++) out.push(i & 1 ? box.max.x : box.min.x, i & 2 ? box.max.y : box.min.y, i & 4 ? box.max.z : box.min.z);
    return out;
  }

  private boxPoints(): number[] {
    const b = this.bounds;
    const out: number[] = this.ghostPoints();
    for (let i = 0; i < 8; i++) out.push(b[i & 1 ? 3 : 0], b[i & 2 ? 4 : 1], b[i & 4 ? 5 : 2]);
    if (this.frame && this.frame.pointCount < 1e5) for (const x of this.frame.points) out.push(x);
    return out;
  }

  private shownPoints(): ArrayLike<number> {
    const { frame, look } = this;
    const topology = this.surface.topology;
    if (!frame) return this.boxPoints();
    const out = [...this.ghostPoints(), ...this.marks.extent()];
    if (out.length > 0 && frame.pointCount > 1e5) return this.boxPoints();
    if (out.length > 0 && (!look || look.hidden.size === 0 || !topology)) for (const x of frame.points) out.push(x);
    if (!look || look.hidden.size === 0 || !topology) return out.length > 0 ? out : frame.points;
    topology.body.forEach((body, i) => {
      if (!look.hidden.has(body)) out.push(frame.points[3 * i], frame.points[3 * i + 1], frame.points[3 * i + 2]);
    });
    return out.length > 0 ? out : frame.points;
  }

  cameraState(): number[] {
    return this.view.state();
  }

  setCameraState(state: number[]): void {
    this.fitted = true;
    this.view.untouched = false;
    this.view.setState(state);
  }

  /** What is under a place of the canvas (0..1 from the upper left corner). */
  hit(x: number, y: number): Hit | null {
    const { topology, corners, mesh } = this.surface;
    const { frame } = this;
    if (!topology || !frame || !corners) return null;
    const camera = this.view.forDrawing(this.center(), this.size());
    const caster = new THREE.Raycaster();
    caster.setFromCamera(new THREE.Vector2(2 * x - 1, 1 - 2 * y), camera as THREE.PerspectiveCamera);
    caster.params.Points = { threshold: 0.01 * this.size() };
    const plane = this.look?.clip ? this.clipPlane(this.look.clip) : null;
    const hits = caster.intersectObjects([mesh, this.solids.group], true).filter((item) => !plane || plane.distanceToPoint(item.point) >= 0);
    const found = hits[0];
    if (!found) return null;
    let candidates: number[];
    if (found.face && found.object === mesh) candidates = [found.face.a, found.face.b, found.face.c].map((c) => corners.point[c]);
    else candidates = this.solids.pointsOf(found.object, found.instanceId ?? 0);
    const best = this.nearest(candidates, found.point);
    return best < 0 ? null : { point: best, body: topology.body[best], position: found.point.clone() };
  }

  /** A place on the canvas, 0..1, where a body is seen; -1, -1 where it is not. */
  placeOf(body: number): [number, number] {
    for (let i = 0; i < 2500; i++) {
      const [x, y] = [((i % 50) + 0.5) / 50, (Math.floor(i / 50) + 0.5) / 50];
      if (this.hit(x, y)?.body === body && this.hit(x + 0.01, y)?.body === body) return [x, y];
    }
    return [-1, -1];
  }

  /** The mean y of the points of a body. */
  heightOf(body: number): number {
    const ids = this.surface.topology?.body ?? [];
    let [sum, count] = [0, 0];
    ids.forEach((id, i) => id === body && ((sum += this.pointAt(i).y), count++));
    return sum / count;
  }

  /** Where a place of the canvas is in the plane through a point across the view. */
  placeAt(x: number, y: number, through: THREE.Vector3): THREE.Vector3 {
    const camera = this.view.forDrawing(this.center(), this.size());
    const caster = new THREE.Raycaster();
    caster.setFromCamera(new THREE.Vector2(2 * x - 1, 1 - 2 * y), camera as THREE.PerspectiveCamera);
    const plane = new THREE.Plane().setFromNormalAndCoplanarPoint(this.view.direction(), through);
    return caster.ray.intersectPlane(plane, new THREE.Vector3()) ?? through.clone();
  }

  private nearest(candidates: number[], to: THREE.Vector3): number {
    let best = -1;
    let least = Infinity;
    for (const i of candidates) {
      const d = this.pointAt(i).distanceToSquared(to);
      if (d < least) [least, best] = [d, i];
    }
    return best;
  }

  pointAt(i: number): THREE.Vector3 {
    return this.frame ? new THREE.Vector3().fromArray(this.frame.points, 3 * i) : new THREE.Vector3();
  }

  /** Place on the canvas, 0..1 from the upper left corner. */
  project(position: THREE.Vector3): { x: number; y: number; inFront: boolean } {
    const p = position.clone().project(this.view.forDrawing(this.center(), this.size()) as THREE.PerspectiveCamera);
    return { x: (p.x + 1) / 2, y: (1 - p.y) / 2, inFront: p.z < 1 };
  }

  // ---- pictures ----

  private paint(sample: number): void {
    const camera = this.view.forDrawing(this.center(), this.size()) as THREE.PerspectiveCamera;
    const size = this.renderer.getDrawingBufferSize(new THREE.Vector2());
    if (sample >= 0) {
      const shift = (k: number, step: number) => ((0.5 + step * k) % 1) - 0.5;
      camera.setViewOffset(size.x, size.y, shift(sample, 0.7548776662), shift(sample, 0.569840291), size.x, size.y);
    }
    this.lights.aim(camera, this.view.up, this.center(), this.size(), sample, PASSES);
    this.renderer.render(this.scene, camera);
    camera.clearViewOffset();
  }

  /** Draws when something has changed; refines the picture when nothing did. True when a new picture was made. */
  draw(): boolean {
    this.view.tick();
    if (this.stale) {
      this.stale = false;
      this.refiner.restart();
      this.refineSpent = 0;
      this.paint(-1);
      this.framesDrawn++;
      this.onDraw();
      return true;
    }
    if (this.look?.shadows && this.frame && performance.now() - this.staleAt > REST) this.refine();
    return false;
  }

  private refine(): void {
    if (this.refiner.done || !this.refiner.supported || this.refineSpent > this.refineBudget) return;
    const started = performance.now();
    this.refiner.step((sample) => this.paint(sample));
    this.refineSpent += performance.now() - started;
  }

  /** A picture of the best quality, now. */
  finest(passes = PASSES): void {
    if (!this.look?.shadows || !this.refiner.supported) {
      this.touch();
      this.draw();
      return;
    }
    if (this.stale) this.refiner.restart();
    this.stale = false;
    while (this.refiner.passes < passes) this.refiner.step((sample) => this.paint(sample));
  }
}
