// The 3D view: one frame at a time, drawn when something has changed.
import * as THREE from "three";
import { OrbitControls } from "three/examples/jsm/controls/OrbitControls.js";
import { type Rgb, bodyColor, neutralColor, scaleColor } from "./colors";
import { type Corners, makeCorners, meshEdges, moveCorners } from "./corners";
import type { SceneFacts } from "./facts";
import { fieldValue } from "./frames";
import type { Frame, Topology } from "./packet";
import { ContactArrows, RodsAndDots } from "./solids";

export type SurfaceMode = "surface" | "edges" | "wireframe";

export interface ClipPlane {
  axis: 0 | 1 | 2;
  /** Position between the ends of the scene, 0 to 1. */
  place: number;
  flip: boolean;
}

/** How a frame is drawn. */
export interface Look {
  color: string; // "body" or the name of a field
  range: [number, number];
  mode: SurfaceMode;
  flat: boolean;
  thickness: boolean;
  shadows: boolean;
  contacts: boolean;
  clip: ClipPlane | null;
  hidden: Set<number>;
}

interface CurrentMesh {
  topology: Topology;
  corners: Corners;
}

export class Stage {
  readonly renderer: THREE.WebGLRenderer;
  readonly camera = new THREE.PerspectiveCamera(35, 1, 0.01, 100);
  readonly controls: OrbitControls;
  private readonly scene = new THREE.Scene();
  private readonly key = new THREE.DirectionalLight(0xffffff, 1.9);
  private readonly sky = new THREE.HemisphereLight(0xffffff, 0xa09a8e, 1.7);
  private readonly material = new THREE.MeshStandardMaterial({
    vertexColors: true,
    side: THREE.DoubleSide,
    roughness: 0.75,
    polygonOffset: true,
    polygonOffsetFactor: 1,
    polygonOffsetUnits: 1,
  });
  private readonly lineMaterial = new THREE.LineBasicMaterial({ color: 0x1a1a1a, transparent: true, opacity: 0.55 });
  private readonly surface = new THREE.Mesh(new THREE.BufferGeometry(), this.material);
  private readonly edges = new THREE.LineSegments(new THREE.BufferGeometry(), this.lineMaterial);
  private readonly solids = new RodsAndDots();
  private readonly arrows = new ContactArrows();
  private readonly planes = new THREE.Group();
  private mesh: CurrentMesh | null = null;
  private meshKey = "";
  private indexKey = "";
  private facts: SceneFacts | null = null;
  private origin: [number, number, number] = [0, 0, 0];
  private bounds = [-1, -1, -1, 1, 1, 1];
  private drawn = false;
  private fitted = false;
  private framesDrawn = 0;

  constructor(canvas: HTMLCanvasElement) {
    this.renderer = new THREE.WebGLRenderer({ canvas, antialias: true, preserveDrawingBuffer: true });
    this.renderer.setPixelRatio(Math.min(2, window.devicePixelRatio));
    this.renderer.shadowMap.type = THREE.PCFSoftShadowMap;
    this.renderer.localClippingEnabled = true;
    this.controls = new OrbitControls(this.camera, canvas);
    this.controls.enableDamping = false;
    this.controls.addEventListener("change", () => this.touch());
    this.key.castShadow = true;
    this.key.shadow.mapSize.set(2048, 2048);
    this.key.shadow.bias = -0.0004;
    this.key.shadow.normalBias = 0.02;
    this.surface.castShadow = this.surface.receiveShadow = true;
    this.surface.frustumCulled = this.edges.frustumCulled = false;
    this.scene.add(this.surface, this.edges, this.solids.group, this.arrows.group, this.planes, this.sky, this.key, this.key.target);
  }

  get pictures(): number {
    return this.framesDrawn;
  }

  get triangleCount(): number {
    return this.mesh ? this.mesh.topology.triangles.length / 3 : 0;
  }

  touch(): void {
    this.drawn = false;
  }

  setFacts(facts: SceneFacts): void {
    this.facts = facts;
    this.meshKey = "";
    this.camera.up.set(...facts.up);
  }

  setBackground(color: string, line: string): void {
    this.scene.background = new THREE.Color(color);
    this.lineMaterial.color.set(line);
    this.touch();
  }

  resize(width: number, height: number): void {
    if (width < 1 || height < 1) return;
    this.renderer.setSize(width, height, false);
    this.camera.aspect = width / height;
    this.camera.updateProjectionMatrix();
    this.touch();
  }

  // ---- the frame ----

  show(frame: Frame, topology: Topology, bounds: number[], look: Look): void {
    this.origin = frame.origin;
    this.bounds = bounds.every(Number.isFinite) ? bounds : this.bounds;
    this.useMesh(frame, topology, look);
    this.useIndex(topology, look);
    this.movePoints(frame, topology);
    this.paint(frame, topology, look);
    this.solids.update(frame, topology, this.size(), look, (body) => this.thickness(body), (i) => this.pointColor(frame, topology, look, i));
    this.arrows.update(frame, look.contacts, this.size());
    this.applyLook(look);
    this.placePlanes();
    if (!this.fitted) this.fit();
    this.touch();
  }

  private thickness(body: number): number {
    return this.facts?.bodies[body]?.thickness ?? 0;
  }

  private shellThickness(look: Look): (body: number) => number {
    return (body) => (look.thickness && this.facts?.bodies[body]?.type === "shell" ? this.thickness(body) : 0);
  }

  private useMesh(frame: Frame, topology: Topology, look: Look): void {
    const key = `${topology.id} ${look.thickness}`;
    if (this.meshKey === key) return;
    this.meshKey = key;
    this.indexKey = "";
    const corners = makeCorners(frame.points, topology, this.shellThickness(look));
    this.mesh = { topology, corners };
    const attribute = (size: number, items: number) => {
      const made = new THREE.BufferAttribute(new Float32Array(size * items), items);
      made.setUsage(THREE.DynamicDrawUsage);
      return made;
    };
    this.surface.geometry.dispose();
    this.surface.geometry = new THREE.BufferGeometry();
    for (const name of ["position", "normal", "color"]) this.surface.geometry.setAttribute(name, attribute(corners.count, 3));
    this.edges.geometry.dispose();
    this.edges.geometry = new THREE.BufferGeometry();
    this.edges.geometry.setAttribute("position", attribute(topology.body.length, 3));
  }

  private useIndex(topology: Topology, look: Look): void {
    const key = `${[...look.hidden].sort().join(",")} ${look.mode !== "surface"}`;
    if (this.indexKey === key || !this.mesh) return;
    this.indexKey = key;
    const { corners } = this.mesh;
    const index: number[] = [];
    if (look.hidden.size === 0) {
      this.surface.geometry.setIndex(new THREE.BufferAttribute(corners.triangles, 1));
    } else {
      corners.triangleBody.forEach((body, t) => {
        if (!look.hidden.has(body)) index.push(corners.triangles[3 * t], corners.triangles[3 * t + 1], corners.triangles[3 * t + 2]);
      });
      this.surface.geometry.setIndex(new THREE.BufferAttribute(Uint32Array.from(index), 1));
    }
    const lines = look.mode === "surface" ? new Uint32Array() : meshEdges(topology, (body) => !look.hidden.has(body));
    this.edges.geometry.setIndex(new THREE.BufferAttribute(lines, 1));
  }

  private movePoints(frame: Frame, topology: Topology): void {
    if (!this.mesh) return;
    const position = this.surface.geometry.getAttribute("position") as THREE.BufferAttribute;
    const normal = this.surface.geometry.getAttribute("normal") as THREE.BufferAttribute;
    moveCorners(this.mesh.corners, topology, frame.points, position.array as Float32Array, normal.array as Float32Array);
    position.needsUpdate = normal.needsUpdate = true;
    const line = this.edges.geometry.getAttribute("position") as THREE.BufferAttribute;
    (line.array as Float32Array).set(frame.points);
    line.needsUpdate = true;
  }

  private bodyColor(body: number): Rgb {
    return this.facts?.bodies[body]?.obstacle ? neutralColor : bodyColor(body);
  }

  private pointColor(frame: Frame, topology: Topology, look: Look, point: number): Rgb {
    const field = frame.fields.get(look.color);
    if (look.color === "body" || !field) return look.color === "body" ? this.bodyColor(topology.body[point]) : neutralColor;
    const [low, high] = look.range;
    const value = fieldValue(field.values, field.components, point);
    return scaleColor(high > low ? (value - low) / (high - low) : 0.5);
  }

  private paint(frame: Frame, topology: Topology, look: Look): void {
    if (!this.mesh) return;
    const attribute = this.surface.geometry.getAttribute("color") as THREE.BufferAttribute;
    const out = attribute.array as Float32Array;
    const { point, count } = this.mesh.corners;
    const bodies = look.color === "body" ? new Map<number, Rgb>() : null;
    for (let i = 0; i < count; i++) {
      let color: Rgb | undefined;
      if (bodies) {
        const body = topology.body[point[i]];
        color = bodies.get(body);
        if (!color) bodies.set(body, (color = this.bodyColor(body)));
      } else {
        color = this.pointColor(frame, topology, look, point[i]);
      }
      out[3 * i] = color[0];
      out[3 * i + 1] = color[1];
      out[3 * i + 2] = color[2];
    }
    attribute.needsUpdate = true;
  }

  // ---- the look ----

  private applyLook(look: Look): void {
    this.surface.visible = look.mode !== "wireframe";
    this.edges.visible = look.mode !== "surface";
    if (this.material.flatShading !== look.flat) {
      this.material.flatShading = look.flat;
      this.material.needsUpdate = true;
    }
    if (this.renderer.shadowMap.enabled !== look.shadows) {
      this.renderer.shadowMap.enabled = look.shadows;
      this.scene.traverse((item) => {
        const material = (item as THREE.Mesh).material as THREE.Material | undefined;
        if (material) material.needsUpdate = true;
      });
    }
    const clipping = look.clip ? [this.clipPlane(look.clip)] : [];
    for (const material of [this.material, this.lineMaterial, ...this.solids.materials]) material.clippingPlanes = clipping;
  }

  private clipPlane(clip: ClipPlane): THREE.Plane {
    const low = this.bounds[clip.axis];
    const high = this.bounds[clip.axis + 3];
    const at = low + clip.place * (high - low);
    const normal = new THREE.Vector3();
    normal.setComponent(clip.axis, clip.flip ? 1 : -1);
    return new THREE.Plane(normal, clip.flip ? -at : at);
  }

  private size(): number {
    const b = this.bounds;
    return Math.hypot(b[3] - b[0], b[4] - b[1], b[5] - b[2]) || 1;
  }

  private center(): THREE.Vector3 {
    const b = this.bounds;
    return new THREE.Vector3((b[0] + b[3]) / 2, (b[1] + b[4]) / 2, (b[2] + b[5]) / 2);
  }

  /** Half-spaces of the scene as discs with a grid. */
  private placePlanes(): void {
    const facts = this.facts;
    if (!facts) return;
    const key = `${facts.planes.length} ${this.origin.join()} ${Math.round(Math.log2(this.size()) * 4)}`;
    if (this.planes.userData.key === key) return;
    this.planes.userData.key = key;
    this.planes.clear();
    const radius = 1.2 * this.size();
    for (const plane of facts.planes) {
      const normal = new THREE.Vector3(...plane.normal).normalize();
      const origin = new THREE.Vector3(...plane.origin).sub(new THREE.Vector3(...this.origin));
      const center = this.center();
      center.addScaledVector(normal, -normal.dot(center.clone().sub(origin)));
      const disc = new THREE.Mesh(
        new THREE.CircleGeometry(radius, 96),
        new THREE.MeshStandardMaterial({ color: 0xb9b7b0, roughness: 1, side: THREE.FrontSide, transparent: true, opacity: 0.9 }),
      );
      disc.receiveShadow = true;
      disc.position.copy(center).addScaledVector(normal, -1e-4 * radius);
      disc.quaternion.setFromUnitVectors(new THREE.Vector3(0, 0, 1), normal);
      this.planes.add(disc);
    }
  }

  // ---- the camera ----

  /** Looks at everything seen so far from a direction (default: a little from above). */
  fit(direction?: [number, number, number]): void {
    this.fitted = true;
    const up = this.camera.up;
    const flat = this.bounds[5] - this.bounds[2] < 1e-9 * this.size();
    const from = direction ? new THREE.Vector3(...direction) : flat ? new THREE.Vector3(0, 0, 1) : this.defaultDirection(up);
    const center = this.center();
    const half = ((this.camera.fov / 2) * Math.PI) / 180;
    const narrow = Math.min(half, Math.atan(Math.tan(half) * this.camera.aspect));
    const distance = (0.52 * this.size()) / Math.sin(narrow);
    this.camera.position.copy(center).addScaledVector(from.normalize(), distance);
    this.camera.near = distance / 200;
    this.camera.far = distance * 20;
    this.camera.updateProjectionMatrix();
    this.controls.target.copy(center);
    this.controls.update();
    this.touch();
  }

  private defaultDirection(up: THREE.Vector3): THREE.Vector3 {
    const side = Math.abs(up.z) > 0.5 ? new THREE.Vector3(0, -1, 0) : new THREE.Vector3(0, 0, 1);
    const right = new THREE.Vector3().crossVectors(up, side);
    return side.clone().addScaledVector(right, 0.6).addScaledVector(up, 0.4);
  }

  cameraState(): number[] {
    return [...this.camera.position.toArray(), ...this.controls.target.toArray()];
  }

  setCameraState(state: number[]): void {
    this.fitted = true;
    this.camera.position.fromArray(state);
    this.controls.target.fromArray(state, 3);
    const distance = this.camera.position.distanceTo(this.controls.target);
    this.camera.near = distance / 200;
    this.camera.far = distance * 20;
    this.camera.updateProjectionMatrix();
    this.controls.update();
    this.touch();
  }

  private placeLight(): void {
    const center = this.center();
    const size = this.size();
    const up = this.camera.up;
    const view = this.camera.position.clone().sub(this.controls.target);
    const back = view.clone().addScaledVector(up, -view.dot(up));
    if (back.lengthSq() < 1e-12 * view.lengthSq()) back.copy(this.defaultDirection(up));
    back.normalize();
    const right = new THREE.Vector3().crossVectors(up, back);
    const from = up.clone().multiplyScalar(1.1).addScaledVector(right, -0.55).addScaledVector(back, 0.5).normalize();
    this.key.position.copy(center).addScaledVector(from, 1.5 * size);
    this.key.target.position.copy(center);
    this.sky.position.copy(up);
    const shadow = this.key.shadow.camera;
    shadow.left = shadow.bottom = -0.62 * size;
    shadow.right = shadow.top = 0.62 * size;
    shadow.near = 0.3 * size;
    shadow.far = 3 * size;
    shadow.updateProjectionMatrix();
    this.key.shadow.normalBias = 0.002 * size;
  }

  /** Draws when something has changed; true when it did. */
  draw(): boolean {
    if (this.drawn) return false;
    this.drawn = true;
    this.placeLight();
    this.renderer.render(this.scene, this.camera);
    this.framesDrawn++;
    return true;
  }

  redraw(): void {
    this.touch();
    this.draw();
  }
}
