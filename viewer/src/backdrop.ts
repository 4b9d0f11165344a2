// What is around the bodies: a sky of two colours, half-spaces and the floor as discs with a grid that fades, light.
import * as THREE from "three";
import type { Plane } from "./facts";

export interface BackdropColors {
  top: string;
  bottom: string;
  floor: string;
  grid: string;
}

/** A gradient from top to bottom of the picture. */
function skyTexture(top: string, bottom: string): THREE.Texture {
  const canvas = document.createElement("canvas");
  canvas.width = 2;
  canvas.height = 256;
  const pen = canvas.getContext("2d");
  if (pen) {
    const gradient = pen.createLinearGradient(0, 0, 0, 256);
    for (let i = 0; i <= 8; i++) {
      const t = i / 8;
      const s = t * t * (3 - 2 * t);
      gradient.addColorStop(t, `color-mix(in srgb, ${bottom} ${100 * s}%, ${top})`);
    }
    pen.fillStyle = gradient;
    pen.fillRect(0, 0, 2, 256);
  }
  const texture = new THREE.CanvasTexture(canvas);
  texture.colorSpace = THREE.SRGBColorSpace;
  return texture;
}

/** 1, 2 or 5 times a power of ten, at most x. */
export function roundLength(x: number): number {
  const power = 10 ** Math.floor(Math.log10(x));
  const digit = x / power;
  return power * (digit < 2 ? 1 : digit < 5 ? 2 : 5);
}

/** A lit material with lines every `cell` and stronger ones every five cells; both fade towards the rim. */
function floorMaterial(color: string, grid: string, radius: number, cell: number, offset: THREE.Vector2): THREE.Material {
  const material = new THREE.MeshLambertMaterial({ color, transparent: true, depthWrite: false });
  const uniforms = {
    floorRadius: { value: radius },
    floorCell: { value: cell },
    floorOffset: { value: offset },
    floorLine: { value: new THREE.Color(grid) },
  };
  material.onBeforeCompile = (shader) => {
    Object.assign(shader.uniforms, uniforms);
    shader.vertexShader = shader.vertexShader
      .replace("#include <common>", "#include <common>\nvarying vec2 vFloor;")
      .replace("#include <begin_vertex>", "#include <begin_vertex>\nvFloor = position.xy;");
    shader.fragmentShader = shader.fragmentShader
      .replace(
        "#include <common>",
        `#include <common>
        varying vec2 vFloor;
        uniform float floorRadius;
        uniform float floorCell;
        uniform vec2 floorOffset;
        uniform vec3 floorLine;
        float floorGrid(vec2 place, float cell) {
          vec2 p = place / cell;
          vec2 width = fwidth(p);
          vec2 line = clamp(1.0 - abs(fract(p - 0.5) - 0.5) / max(width, 1e-6), 0.0, 1.0);
          line *= clamp(0.5 / max(width, 1e-6) - 1.0, 0.0, 1.0);
          return max(line.x, line.y);
        }`,
      )
      .replace(
        "#include <opaque_fragment>",
        `float far = length(vFloor) / floorRadius;
        float fade = 1.0 - smoothstep(0.25, 1.0, far);
        vec2 place = vFloor + floorOffset;
        float lines = max(0.35 * floorGrid(place, floorCell), 0.7 * floorGrid(place, 5.0 * floorCell));
        outgoingLight = mix(outgoingLight, floorLine, 0.55 * lines * fade);
        diffuseColor.a = fade;
        #include <opaque_fragment>`,
      );
  };
  return material;
}

export class Backdrop {
  readonly group = new THREE.Group();
  private colors: BackdropColors = { top: "#aab6c4", bottom: "#dcdfe2", floor: "#d8d8d6", grid: "#8c8f94" };
  private key = "";

  setColors(scene: THREE.Scene, colors: BackdropColors): void {
    this.colors = colors;
    this.key = "";
    if (scene.background instanceof THREE.Texture) scene.background.dispose();
    scene.background = skyTexture(colors.top, colors.bottom);
  }

  /** Half-spaces of the scene, or a floor `below` everything that is only there to be seen. */
  place(planes: Plane[], below: Plane | null, origin: THREE.Vector3, center: THREE.Vector3, size: number): void {
    const all = planes.length > 0 ? planes : below ? [below] : [];
    const key = JSON.stringify([all, origin.toArray(), Math.round(Math.log2(size) * 4), this.colors]);
    if (this.key === key) return;
    this.key = key;
    for (const disc of this.group.children as THREE.Mesh[]) {
      disc.geometry.dispose();
      (disc.material as THREE.Material).dispose();
    }
    this.group.clear();
    for (const plane of all) this.group.add(this.disc(plane, origin, center, size));
  }

  private disc(plane: Plane, origin: THREE.Vector3, center: THREE.Vector3, size: number): THREE.Mesh {
    const radius = 3 * size;
    const normal = new THREE.Vector3(...plane.normal).normalize();
    const on = new THREE.Vector3(...plane.origin).sub(origin);
    const middle = center.clone().addScaledVector(normal, -normal.dot(center.clone().sub(on)));
    const turn = new THREE.Quaternion().setFromUnitVectors(new THREE.Vector3(0, 0, 1), normal);
    // Lines stand at round coordinates of the scene, whatever the middle of the disc is.
    const local = middle.clone().add(origin).applyQuaternion(turn.clone().invert());
    const cell = roundLength(size / 12);
    const period = 5 * cell;
    const offset = new THREE.Vector2(local.x % period, local.y % period);
    const disc = new THREE.Mesh(
      new THREE.CircleGeometry(radius, 96),
      floorMaterial(this.colors.floor, this.colors.grid, radius, cell, offset),
    );
    disc.receiveShadow = true;
    disc.renderOrder = -1;
    disc.position.copy(middle).addScaledVector(normal, -2e-4 * size);
    disc.quaternion.copy(turn);
    return disc;
  }

  set visible(on: boolean) {
    this.group.visible = on;
  }
}

const GOLDEN = 2.39996323;

/** A sun over the camera's left shoulder and a sky. A picture at rest is the mean of many with the sun at one place of
 * its disc and all light of the sky from one direction: that gives soft shadows, and dark corners where little sky is seen. */
export class Lights {
  readonly sun = new THREE.DirectionalLight(0xfff6ea, 2.0);
  readonly sky = new THREE.HemisphereLight(0xf2f7ff, 0x8f897f, 1.75);
  readonly part = new THREE.DirectionalLight(0xeef4ff, 0);

  constructor(scene: THREE.Scene) {
    for (const light of [this.sun, this.part]) {
      light.castShadow = true;
      light.shadow.mapSize.set(2048, 2048);
      light.shadow.bias = -0.0004;
      light.shadow.radius = 3;
      scene.add(light, light.target);
    }
    this.part.shadow.autoUpdate = false;
    scene.add(this.sky);
  }

  /** sample: -1 while things move, else the number of the pass out of `count`. */
  aim(camera: THREE.Camera, up: THREE.Vector3, center: THREE.Vector3, size: number, sample: number, count: number): void {
    const view = new THREE.Vector3().setFromMatrixColumn(camera.matrixWorld, 2);
    const back = view.clone().addScaledVector(up, -view.dot(up));
    if (back.lengthSq() < 1e-3) back.setFromMatrixColumn(camera.matrixWorld, 1).addScaledVector(up, -back.dot(up)).negate();
    back.normalize();
    const right = new THREE.Vector3().crossVectors(up, back).normalize();
    const from = up.clone().addScaledVector(right, -0.55).addScaledVector(back, 0.5).normalize();
    if (sample >= 0) {
      const side = new THREE.Vector3().crossVectors(up, from).normalize();
      const over = new THREE.Vector3().crossVectors(from, side);
      const radius = 0.12 * Math.sqrt((sample + 0.5) / count);
      from.addScaledVector(side, radius * Math.cos(GOLDEN * sample)).addScaledVector(over, radius * Math.sin(GOLDEN * sample)).normalize();
    }
    this.put(this.sun, from, center, size);
    this.sky.position.copy(up);
    this.sky.intensity = sample >= 0 ? 0.55 : 1.75;
    this.part.intensity = sample >= 0 ? 2.5 : 0;
    this.part.shadow.autoUpdate = sample >= 0;
    if (sample < 0) return;
    const height = ((sample * 0.6180339887 + 0.31) % 1) * 0.98 + 0.02;
    const around = Math.sqrt(1 - height * height);
    const angle = GOLDEN * sample + 0.7;
    const sky = up.clone().multiplyScalar(height).addScaledVector(right, around * Math.cos(angle)).addScaledVector(back, around * Math.sin(angle));
    this.put(this.part, sky, center, size);
  }

  private put(light: THREE.DirectionalLight, from: THREE.Vector3, center: THREE.Vector3, size: number): void {
    light.position.copy(center).addScaledVector(from, 1.5 * size);
    light.target.position.copy(center);
    const box = light.shadow.camera;
    box.left = box.bottom = -0.62 * size;
    box.right = box.top = 0.62 * size;
    box.near = 0.3 * size;
    box.far = 4 * size;
    box.updateProjectionMatrix();
    light.shadow.normalBias = 0.002 * size;
  }
}
