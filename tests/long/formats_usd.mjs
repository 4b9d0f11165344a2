// node formats_usd.mjs FOLDER FILE.usda OUT.json: reads a film with tinyusdz (its parser and its conversion for drawing) and writes
// what it understood: meshes with their numbers of points, and the first and last point of every time sample.
import fs from "node:fs";

const [folder, path, out] = process.argv.slice(2);
// The package is made for browsers: it looks for one.
process.type = "renderer";
globalThis.window = globalThis;
globalThis.document = {};
globalThis.location = { href: "file:///" };
const make = (await import(`${folder}/tinyusdz.js`)).default;
const library = await make({ wasmBinary: fs.readFileSync(`${folder}/tinyusdz.wasm`), print: () => {}, printErr: () => {} });
const bytes = new Uint8Array(fs.readFileSync(path));

const drawn = new library.TinyUSDZLoaderNative();
if (!drawn.loadFromBinary(bytes, path)) throw new Error(`refused: ${drawn.error()}`);
const meshes = [];
for (let i = 0; i < drawn.numMeshes(); i++) {
    const mesh = drawn.getMesh(i);
    meshes.push({ name: mesh.primName, points: mesh.points.length / 3, corners: mesh.faceVertexIndices.length });
}

const layer = new library.TinyUSDZLoaderNative();
if (!layer.loadAsLayerFromBinary(bytes, path)) throw new Error(`refused as a layer: ${layer.error()}`);
const bodies = [];
for (const line of layer.layerToString().split("\n")) {
    const named = line.match(/def (Mesh|Points|BasisCurves) "([^"]*)"/);
    if (named) bodies.push({ kind: named[1], name: named[2], samples: [] });
    const sample = line.match(/^\s*([-+.e\d]+): \[(\(.*\))\]/);
    if (sample) {
        const points = sample[2].slice(1, -1).split("), (");
        const numbers = (text) => text.split(",").map(Number);
        bodies.at(-1).samples.push({ time: Number(sample[1]), count: points.length, first: numbers(points[0]), last: numbers(points.at(-1)) });
    }
}
fs.writeFileSync(out, JSON.stringify({ meshes, bodies }));
