// The surfaces of all bodies as one mesh, with the edges of their cells. A field goes to the graphics processor as one
// number per corner; colours, a logarithm and lines of equal value are made there, so that they cost nothing to change.
import * as THREE from "three";
import { type ColorScale, MAPS, type Rgb, logLow, neutralColor } from "./colors";
import { type Corners, makeCorners, meshEdges, moveCorners } from "./corners";
import { type Component, fieldValue } from "./frames";
import type { Frame, Topology } from "./packet";

/** Stands for what is not a number: shaders may not tell. */
const NOTHING = 1e30;

const uniforms = {
  fieldOn: { value: false },
  fieldMap: { value: null as THREE.Texture | null },
  fieldEnds: { value: new THREE.Vector2(0, 1) },
  fieldLog: { value: false },
  fieldLines: { value: 0 },
};

function addField(material: THREE.Material): void {
  material.onBeforeCompile = (shader) => {
    Object.assign(shader.uniforms, uniforms);
    shader.vertexShader = shader.vertexShader
      .replace("#include <common>", "#include <common>\nattribute float value;\nvarying float vValue;")
      .replace("#include <begin_vertex>", "#include <begin_vertex>\nvValue = value;");
    shader.fragmentShader = shader.fragmentShader
      .replace(
        "#include <common>",
        `#include <common>
        varying float vValue;
        uniform bool fieldOn;
        uniform sampler2D fieldMap;
        uniform vec2 fieldEnds;
        uniform bool fieldLog;
        uniform float fieldLines;`,
      )
      .replace(
        "#include <color_fragment>",
        `#include <color_fragment>
        if (fieldOn && vValue < 1e29) {
          float v = fieldLog ? log(max(vValue, 1e-37)) : vValue;
          float t = fieldEnds.y > fieldEnds.x ? clamp((v - fieldEnds.x) / (fieldEnds.y - fieldEnds.x), 0.0, 1.0) : 0.5;
          diffuseColor.rgb = texture2D(fieldMap, vec2((0.5 + 255.0 * t) / 256.0, 0.5)).rgb;
          if (fieldLines > 0.0) {
            float p = t * fieldLines;
            float wide = max(fwidth(p), 1e-6);
            float line = 1.0 - smoothstep(0.6, 1.4, abs(fract(p - 0.5) - 0.5) / wide);
            diffuseColor.rgb *= 1.0 - 0.75 * line * clamp(0.4 / wide, 0.0, 1.0);
          }
        }`,
      );
  };
}

const textures = new Map<string, THREE.Texture>();

function mapTexture(name: string): THREE.Texture {
  const known = textures.get(name);
  if (known) return known;
  const { steps } = MAPS[name] ?? MAPS.dusk;
  const data = new Float32Array(4 * steps.length);
  steps.forEach((rgb, i) => data.set([...rgb, 1], 4 * i));
  const texture = new THREE.DataTexture(data, steps.length, 1, THREE.RGBAFormat, THREE.FloatType);
  texture.needsUpdate = true;
  textures.set(name, texture);
  return texture;
}

export class SurfaceMesh {
  readonly group = new THREE.Group();
  readonly material = new THREE.MeshStandardMaterial({
    vertexColors: true,
    side: THREE.DoubleSide,
    roughness: 0.8,
    polygonOffset: true,
    polygonOffsetFactor: 1,
    polygonOffsetUnits: 1,
  });
  readonly lineMaterial = new THREE.LineBasicMaterial({ color: 0x1a1a1a, transparent: true, opacity: 0.5 });
  readonly mesh = new THREE.Mesh(new THREE.BufferGeometry(), this.material);
  readonly edges = new THREE.LineSegments(new THREE.BufferGeometry(), this.lineMaterial);
  corners: Corners | null = null;
  topology: Topology | null = null;
  private meshKey = "";
  private indexKey = "";
  private bodyKey = "";

  constructor() {
    addField(this.material);
    this.mesh.castShadow = this.mesh.receiveShadow = true;
    this.mesh.frustumCulled = this.edges.frustumCulled = false;
    this.group.add(this.mesh, this.edges);
  }

  get triangleCount(): number {
    return this.topology ? this.topology.triangles.length / 3 : 0;
  }

  forget(): void {
    this.meshKey = "";
  }

  /** Splits the surface into corners, once per mesh. thickness: of each shell, 0 for all else. */
  use(frame: Frame, topology: Topology, thickness: (body: number) => number, thick: boolean): void {
    const key = `${topology.id} ${thick}`;
    if (this.meshKey === key) return;
    this.meshKey = key;
    this.indexKey = this.bodyKey = "";
    this.topology = topology;
    const corners = (this.corners = makeCorners(frame.points, topology, thickness));
    const attribute = (size: number, items: number) => {
      const made = new THREE.BufferAttribute(new Float32Array(size * items), items);
      made.setUsage(THREE.DynamicDrawUsage);
      return made;
    };
    this.mesh.geometry.dispose();
    this.mesh.geometry = new THREE.BufferGeometry();
    for (const name of ["position", "normal", "color"]) this.mesh.geometry.setAttribute(name, attribute(corners.count, 3));
    this.mesh.geometry.setAttribute("value", attribute(corners.count, 1));
    this.edges.geometry.dispose();
    this.edges.geometry = new THREE.BufferGeometry();
    this.edges.geometry.setAttribute("position", attribute(topology.body.length, 3));
  }

  /** Leaves out hidden bodies. */
  choose(hidden: Set<number>, lines: boolean): void {
    const key = `${[...hidden].sort().join(",")} ${lines}`;
    if (this.indexKey === key || !this.corners || !this.topology) return;
    this.indexKey = key;
    const { corners, topology } = this;
    let triangles = corners.triangles;
    if (hidden.size > 0) {
      const kept: number[] = [];
      corners.triangleBody.forEach((body, t) => {
        if (!hidden.has(body)) kept.push(triangles[3 * t], triangles[3 * t + 1], triangles[3 * t + 2]);
      });
      triangles = Uint32Array.from(kept);
    }
    this.mesh.geometry.setIndex(new THREE.BufferAttribute(triangles, 1));
    const edges = lines ? meshEdges(topology, (body) => !hidden.has(body)) : new Uint32Array();
    this.edges.geometry.setIndex(new THREE.BufferAttribute(edges, 1));
  }

  move(frame: Frame): void {
    if (!this.corners || !this.topology) return;
    const { geometry } = this.mesh;
    const position = geometry.getAttribute("position") as THREE.BufferAttribute;
    const normal = geometry.getAttribute("normal") as THREE.BufferAttribute;
    moveCorners(this.corners, this.topology, frame.points, position.array as Float32Array, normal.array as Float32Array);
    position.needsUpdate = normal.needsUpdate = true;
    geometry.boundingSphere = geometry.boundingBox = null;
    const line = this.edges.geometry.getAttribute("position") as THREE.BufferAttribute;
    (line.array as Float32Array).set(frame.points);
    line.needsUpdate = true;
  }

  paintBodies(colorOf: (body: number) => Rgb, field: boolean): void {
    uniforms.fieldOn.value = field;
    const key = `${field}`;
    if (this.bodyKey === key || !this.corners || !this.topology) return;
    this.bodyKey = key;
    const attribute = this.mesh.geometry.getAttribute("color") as THREE.BufferAttribute;
    const out = attribute.array as Float32Array;
    const colors = new Map<number, Rgb>();
    const { point, count } = this.corners;
    for (let i = 0; i < count; i++) {
      const body = this.topology.body[point[i]];
      let color = field ? neutralColor : colors.get(body);
      if (!color) colors.set(body, (color = colorOf(body)));
      out.set(color, 3 * i);
    }
    attribute.needsUpdate = true;
  }

  paintField(frame: Frame, name: string, component: Component): void {
    const field = frame.fields.get(name);
    if (!this.corners) return;
    const attribute = this.mesh.geometry.getAttribute("value") as THREE.BufferAttribute;
    const out = attribute.array as Float32Array;
    const { point, count } = this.corners;
    for (let i = 0; i < count; i++) {
      const value = field ? fieldValue(field.values, field.components, point[i], component) : NaN;
      out[i] = Number.isFinite(value) ? value : NOTHING;
    }
    attribute.needsUpdate = true;
  }

  setScale(scale: ColorScale, lines: number): void {
    uniforms.fieldMap.value = mapTexture(scale.map);
    uniforms.fieldLog.value = scale.logarithmic;
    if (scale.logarithmic) uniforms.fieldEnds.value.set(Math.log(logLow(scale)), Math.log(Math.max(scale.high, 1e-300)));
    else uniforms.fieldEnds.value.set(scale.low, scale.high);
    uniforms.fieldLines.value = lines;
  }
}
