// A picture at rest gets better: the mean of many passes, each with the camera moved by part of a pixel.
import * as THREE from "three";

export const PASSES = 32;
/** The picture that was there before counts as this many passes, so that the first ones do not flicker. */
const START_WEIGHT = 2;

export class Refiner {
  private target: THREE.WebGLRenderTarget | null = null;
  private sum: THREE.WebGLRenderTarget | null = null;
  private readonly view = new THREE.OrthographicCamera(-1, 1, 1, -1, 0, 1);
  private readonly quad: THREE.Mesh;
  private readonly adding: THREE.ShaderMaterial;
  private readonly showing: THREE.ShaderMaterial;
  private weight = 0;
  passes = 0;

  constructor(private readonly renderer: THREE.WebGLRenderer) {
    const vertexShader = "varying vec2 place; void main() { place = 0.5 * position.xy + 0.5; gl_Position = vec4(position.xy, 0.0, 1.0); }";
    this.adding = new THREE.ShaderMaterial({
      vertexShader,
      fragmentShader:
        "varying vec2 place; uniform sampler2D picture; uniform float factor; void main() { gl_FragColor = factor * vec4(texture2D(picture, place).rgb, 1.0); }",
      uniforms: { picture: { value: null }, factor: { value: 1 } },
      blending: THREE.CustomBlending,
      blendSrc: THREE.OneFactor,
      blendDst: THREE.OneFactor,
      depthTest: false,
      depthWrite: false,
    });
    this.showing = new THREE.ShaderMaterial({
      vertexShader,
      fragmentShader:
        "varying vec2 place; uniform sampler2D picture; uniform float factor; void main() { gl_FragColor = vec4(factor * texture2D(picture, place).rgb, 1.0);\n#include <colorspace_fragment>\n}",
      uniforms: { picture: { value: null }, factor: { value: 1 } },
      depthTest: false,
      depthWrite: false,
    });
    this.quad = new THREE.Mesh(new THREE.PlaneGeometry(2, 2), this.adding);
    this.quad.frustumCulled = false;
  }

  /** Whatever was gathered does not hold any more. */
  restart(): void {
    this.passes = 0;
    this.weight = 0;
  }

  get done(): boolean {
    return this.passes >= PASSES;
  }

  private prepare(): { target: THREE.WebGLRenderTarget; sum: THREE.WebGLRenderTarget } {
    const size = this.renderer.getDrawingBufferSize(new THREE.Vector2());
    if (!this.target || !this.sum || this.target.width !== size.x || this.target.height !== size.y) {
      this.target?.dispose();
      this.sum?.dispose();
      const half = { type: THREE.HalfFloatType, minFilter: THREE.NearestFilter, magFilter: THREE.NearestFilter };
      this.target = new THREE.WebGLRenderTarget(size.x, size.y, { ...half, stencilBuffer: true });
      this.sum = new THREE.WebGLRenderTarget(size.x, size.y, { ...half, type: THREE.FloatType, depthBuffer: false });
      this.restart();
    }
    return { target: this.target, sum: this.sum };
  }

  private add(picture: THREE.Texture, sum: THREE.WebGLRenderTarget, weight: number): void {
    this.adding.uniforms.picture.value = picture;
    this.adding.uniforms.factor.value = weight;
    this.quad.material = this.adding;
    this.renderer.autoClear = false;
    this.renderer.setRenderTarget(sum);
    this.renderer.render(this.quad, this.view);
    this.renderer.autoClear = true;
    this.weight += weight;
  }

  /** One more pass. paint(sample) draws the scene into the present target; -1 is the picture while things move. */
  step(paint: (sample: number) => void): void {
    const { renderer } = this;
    const { target, sum } = this.prepare();
    const sample = this.passes;
    if (sample === 0) {
      renderer.setRenderTarget(sum);
      renderer.setClearColor(0, 0);
      renderer.clear();
      renderer.setRenderTarget(target);
      paint(-1);
      this.add(target.texture, sum, START_WEIGHT);
    }
    renderer.setRenderTarget(target);
    paint(sample);
    this.add(target.texture, sum, 1);
    renderer.setRenderTarget(null);
    this.passes = sample + 1;
    this.showing.uniforms.picture.value = sum.texture;
    this.showing.uniforms.factor.value = 1 / this.weight;
    this.quad.material = this.showing;
    renderer.render(this.quad, this.view);
  }

  /** Half-float pictures that can be added up need this of the browser. */
  get supported(): boolean {
    return this.renderer.extensions.has("EXT_color_buffer_float") && this.renderer.extensions.has("EXT_float_blend");
  }
}
