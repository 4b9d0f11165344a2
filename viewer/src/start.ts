// A start that cannot be simulated: where bodies are in each other, and a translation that would take one out.
import * as THREE from "three";
import type { SceneFacts } from "./facts";
import type { Overlay } from "./overlay";
import type { Frame, Topology } from "./packet";
import type { Stage } from "./stage";
import { shortNumber } from "./ui";

export interface Suggestion {
  body: number;
  from: THREE.Vector3; // middle of the body
  by: THREE.Vector3;
}

/** Boxes of the bodies that have bad points. */
function badBoxes(frame: Frame, topology: Topology): Map<number, THREE.Box3> {
  const field = frame.fields.get("problem");
  const bad = new Set<number>();
  field?.values.forEach((value, i) => value > 0 && bad.add(topology.body[i]));
  const boxes = new Map<number, THREE.Box3>();
  const p = new THREE.Vector3();
  topology.body.forEach((body, i) => {
    if (!bad.has(body)) return;
    const box = boxes.get(body) ?? new THREE.Box3();
    boxes.set(body, box.expandByPoint(p.fromArray(frame.points, 3 * i)));
  });
  return boxes;
}

/** The shortest move along an axis that takes one body's box out of the boxes of all others with problems and in front of
 * the half-spaces. It is enough, and often more than is needed. */
export function suggest(frame: Frame, topology: Topology, facts: SceneFacts, gap: number): Suggestion | null {
  const boxes = badBoxes(frame, topology);
  let best: Suggestion | null = null;
  for (const [body, box] of boxes) {
    if (facts.bodies[body]?.obstacle) continue;
    const from = box.getCenter(new THREE.Vector3());
    const plane = planeMove(box, frame, facts, gap);
    for (let axis = 0; axis < 3; axis++)
      for (const sign of [1, -1]) {
        const by = new THREE.Vector3();
        let length = 0;
        for (const [other, wall] of boxes)
          if (other !== body) length = Math.max(length, sign > 0 ? wall.max.getComponent(axis) - box.min.getComponent(axis) : box.max.getComponent(axis) - wall.min.getComponent(axis));
        if (length > 0) by.setComponent(axis, sign * (length + gap));
        by.add(plane);
        const clear = [...facts.planes].every(({ normal, origin }) => frontOf(box.clone().translate(by), normal, origin, frame) >= 0);
        if (by.lengthSq() > 0 && clear && (!best || by.lengthSq() < best.by.lengthSq())) best = { body, from, by };
      }
  }
  return best;
}

/** Distance of the nearest corner of a box from a half-space; negative behind it. */
function frontOf(box: THREE.Box3, normal: number[], origin: number[], frame: Frame): number {
  const n = new THREE.Vector3().fromArray(normal).normalize();
  const corner = new THREE.Vector3(n.x > 0 ? box.min.x : box.max.x, n.y > 0 ? box.min.y : box.max.y, n.z > 0 ? box.min.z : box.max.z);
  return corner.add(new THREE.Vector3().fromArray(frame.origin)).sub(new THREE.Vector3().fromArray(origin)).dot(n);
}

function planeMove(box: THREE.Box3, frame: Frame, facts: SceneFacts, gap: number): THREE.Vector3 {
  const move = new THREE.Vector3();
  for (const { normal, origin } of facts.planes) {
    const front = frontOf(box.clone().translate(move), normal, origin, frame);
    if (front < gap) move.addScaledVector(new THREE.Vector3().fromArray(normal).normalize(), gap - front);
  }
  return move;
}

export function showProblem(stage: Stage, overlay: Overlay, frame: Frame, topology: Topology, facts: SceneFacts, message: string): void {
  const field = frame.fields.get("problem");
  const bad: number[] = [];
  field?.values.forEach((value, i) => value > 0 && bad.push(frame.points[3 * i], frame.points[3 * i + 1], frame.points[3 * i + 2]));
  stage.marks.setBad(bad);
  const found = suggest(frame, topology, facts, 0.002 * stage.size());
  const before = stage.marks.extent().length;
  stage.marks.setSuggestion(found?.from ?? null, found?.by ?? new THREE.Vector3(), stage.size());
  const name = found ? (facts.bodies[found.body]?.name ?? `body ${found.body}`) : "";
  const command = found ? `move "${name}" by [${found.by.toArray().map(shortNumber).join(", ")}]` : "";
  if (found && before === 0) stage.fit(undefined, false);
  const sentence = message.charAt(0).toUpperCase() + message.slice(1);
  overlay.say("bad", "This start cannot be simulated", `${sentence}\nThe places are marked in red.${found ? " The arrow shows a move that takes a body out:" : ""}`, command);
}
