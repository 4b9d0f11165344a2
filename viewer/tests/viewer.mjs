// The page of `abut view` in a browser. usage: node viewer.mjs RUN_FOLDER SCENE OUTPUT_FOLDER
// RUN_FOLDER is a finished run with contact forces in its frames, SCENE something that takes some seconds to run.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { atRest, changes, check, difference, finish, openBrowser, openPage, pixels, probe, serve, until } from "./browser.mjs";

const [runFolder, scene, out] = process.argv.slice(2);
const lastStep = Number(/frame_(\d+)\.vtu"\/>\s*<\/Collection>/.exec(readFileSync(join(runFolder, "frames/frames.pvd"), "utf8"))[1]);
const rows = readFileSync(join(runFolder, "steps.csv"), "utf8").trim().split("\n").length - 1;
const browser = await openBrowser();

// ---- load ----
const server = await serve("view", runFolder);
const { page, problems } = await openPage(browser, server.address, { watched: true });
let state = await until(page, (s) => s.shownStep !== null && s.pictures > 0, "the first frame is shown");
check(state.frames > 5 && state.triangles > 10, `${state.frames} frames, ${state.triangles} triangles`);
check(state.index === 0, "it begins with the first frame");
check((await page.title()).includes("abut"), "the title is set");
const factsText = await page.textContent("#facts");
check(factsText.includes("Newton iterations") && factsText.includes("ok"), "facts of the run are shown");
const first = await pixels(page);
check(new Set(first.filter((_, i) => i % 4 === 0)).size > 8, "the picture is not empty");

// ---- play, pause, step, scrub ----
await page.keyboard.press("Space");
state = await until(page, (s) => s.playing && s.index > 2, "it plays");
await page.keyboard.press("Space");
state = await until(page, (s) => !s.playing, "it pauses");
const paused = state.index;
await page.waitForTimeout(300);
check((await probe(page)).index === paused, "it stays where it was paused");
await page.keyboard.press("ArrowRight");
await until(page, (s) => s.index === Math.min(paused + 1, s.frames - 1), "one frame on");
await page.click("#back");
await until(page, (s) => s.index === Math.max(0, Math.min(paused + 1, s.frames - 1) - 1), "one frame back");
await page.keyboard.press("End");
state = await until(page, (s) => s.index === s.frames - 1 && s.shownStep === lastStep, "the last frame");
await page.evaluate(() => {
  const slider = document.querySelector("#slider");
  slider.value = "3";
  slider.dispatchEvent(new Event("input"));
});
state = await until(page, (s) => s.index === 3 && s.shownStep < lastStep && s.shownStep > 0, "the slider scrubs");
await page.selectOption("#speed", "10");
await page.keyboard.press("Space");
await until(page, (s) => s.playing && s.index < 3, "fast, and round again");
await page.keyboard.press("Space");
await page.keyboard.press("End");
await until(page, (s) => s.index === s.frames - 1 && s.shownStep === lastStep, "back at the end");
await page.waitForTimeout(200);
const last = await pixels(page);
check(difference(first, last) > 0.01, "the last frame looks different from the first");
await page.screenshot({ path: join(out, "body.png") });

// ---- colour ----
const options = await page.$$eval("#color option", (items) => items.map((item) => item.value));
for (const name of ["body", "velocity", "displacement", "stress", "contact_force", "stretch"])
  check(options.includes(name), `colour by ${name} is offered`);
check(await page.isHidden("#legend"), "no scale for bodies");
await page.selectOption("#color", "displacement");
state = await until(page, (s) => s.color === "displacement" && s.range[1] > 0 && s.shownStep === lastStep, "colour by displacement");
await page.waitForTimeout(400);
const colored = await pixels(page);
check(difference(last, colored) > 0.02, "the colours have changed");
await page.waitForFunction(() => document.querySelector("#legend").textContent.includes("displacement in m"), null, { timeout: 30000 }).catch(() => null);
check((await page.textContent("#legend")).includes("displacement in m"), "the scale names field and unit");
state = await until(page, (s) => s.legendNote === "range of the run", "the server knows the range of the run");
const whole = state.range;
await page.keyboard.press("Home");
await until(page, (s) => s.index === 0 && s.shownStep === 0, "the first frame again");
check((await probe(page)).range[1] > 0, "the first frame, where nothing has moved, has the range of the run");
await page.keyboard.press("End");
await until(page, (s) => s.shownStep === lastStep, "the last frame again");
await page.selectOption("#range-mode", "percentiles");
await until(page, (s) => s.legendNote === "2 to 98 % of the run" && s.range[1] <= whole[1] && s.range[0] >= whole[0], "a range of percentiles is within the whole");
await page.selectOption("#range-mode", "hand");
await page.fill("#range-high", String(whole[1] * 10));
await page.locator("#range-high").blur();
await until(page, (s) => s.range[1] > 9 * whole[1], "a range by hand");
await page.selectOption("#range-mode", "frame");
await until(page, (s) => s.legendNote === "range of this frame", "the range of one frame");
await page.selectOption("#range-mode", "run");
for (const [id, value] of [["map", "ember"], ["component", "1"], ["finish", "glossy"]]) {
  const before = await pixels(page);
  await page.selectOption(`#${id}`, value);
  await changes(page, before, 0.002, `${id}: ${value}`);
}
check((await page.textContent("#legend")).includes("displacement, y in m"), "the scale names the component");
await page.selectOption("#component", "length");
await page.selectOption("#map", "dusk");
await page.selectOption("#finish", "satin");
for (const id of ["log", "iso", "floor"]) {
  const before = await pixels(page);
  await page.click(`#${id}`);
  await changes(page, before, 0.001, `${id} changes the picture`);
  await page.click(`#${id}`);
}
await page.selectOption("#color", "stress");
await until(page, (s) => s.color === "stress" && s.range[1] > 1, "colour by stress");
await page.waitForTimeout(300);
await page.screenshot({ path: join(out, "stress.png") });

// ---- the look: edges, wireframe, clipping, contacts, hidden bodies ----
let before = await pixels(page);
for (const [id, key] of [["flat", "flat"], ["thickness", "thickness"], ["shadows", "shadows"], ["floor", "floor"], ["trail", "trail"], ["orthographic", null], ["loop", null], ["follow", null]]) {
  const value = (s) => (key ? s.look[key] : s[id]);
  const from = value(await probe(page));
  if (id === "trail") await page.evaluate(() => document.querySelector("#trail").click()); // is hidden until a point is picked
  else await page.click(`#${id}`);
  await until(page, (s) => value(s) === !from, `${id} switches`);
  await page.evaluate((id) => document.querySelector(`#${id}`).click(), id);
  await until(page, (s) => value(s) === from, `${id} switches back`);
}
for (const mode of ["edges", "wireframe"]) {
  await page.selectOption("#mode", mode);
  await changes(page, before, mode === "edges" ? 0.001 : 0.005, `mesh as ${mode}`);
  before = await pixels(page);
}
await page.selectOption("#mode", "surface");
await page.waitForTimeout(200);
before = await pixels(page);
await page.selectOption("#clip", "0");
await changes(page, before, 0.01, "the cut takes something away");
await page.waitForTimeout(300);
before = await pixels(page);
await page.click("#clip-flip");
await changes(page, before, 0.01, "the cut takes the other side away");
before = await pixels(page);
await page.fill("#clip-place", "0.2");
await changes(page, before, 0.005, "the cut moves");
check((await probe(page)).look.clip.place === 0.2, "to where it was put");
await page.click("#clip-flip");
await page.selectOption("#clip", "");
await page.check("#contacts");
await page.waitForTimeout(500);
before = await pixels(page);
await page.screenshot({ path: join(out, "contacts.png") });
await page.uncheck("#contacts");
await changes(page, before, 0.0005, "contact forces are drawn");
before = await pixels(page);
await page.uncheck("#body-0");
await changes(page, before, 0.002, "a body can be hidden");
await page.check("#body-0");

// ---- camera ----
const camera = (await probe(page)).camera;
const box = await page.locator("#stage").boundingBox();
await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
await page.mouse.down();
await page.mouse.move(box.x + box.width / 2 + 120, box.y + box.height / 2 + 30, { steps: 4 });
await page.mouse.up();
state = await probe(page);
check(Math.hypot(...camera.slice(0, 3).map((x, i) => x - state.camera[i])) > 1e-3, "dragging turns the view");
await page.keyboard.press("f");
for (const key of ["x", "Y", "z", "h"]) {
  const from = (await probe(page)).camera;
  await page.keyboard.press(key);
  await page.waitForTimeout(700);
  check(JSON.stringify((await probe(page)).camera) !== JSON.stringify(from), `the key ${key} moves the camera`);
}
for (const id of ["view-x", "view-−x", "view-y", "view-−y", "view-z", "view-−z", "view-home", "view-run", "view-fit"]) {
  const from = (await atRest(page)).camera;
  await page.click(`[id="${id}"]`);
  await until(page, (s) => JSON.stringify(s.camera) !== JSON.stringify(from), `the button ${id} moves the camera`);
}
await page.click("#axes", { position: { x: 42, y: 10 } });
await page.keyboard.press("h");
await atRest(page);
const tip = (await probe(page)).camera;
await page.click("#axes", { position: { x: 42, y: 14 } }); // the y axis points up
await until(page, (s) => JSON.stringify(s.camera) !== JSON.stringify(tip), "a click on the axes moves the camera");
await page.keyboard.press("o");
check((await probe(page)).orthographic, "orthographic");
await page.keyboard.press("o");

// ---- picking and the ruler ----
await page.keyboard.press("f");
await page.waitForTimeout(700);
const target = await page.evaluate(() => window.abut.placeOfPoint(0));
await page.mouse.click(box.x + target[0] * box.width, box.y + target[1] * box.height);
state = await until(page, (s) => s.picked !== null, "a click picks a point");
await until(page, (s) => s.picked?.rows === s.frames, "its values over time come from the server");
await page.waitForSelector("#pick-label", { state: "visible" });
check(/point\d+position in m/.test(await page.textContent("#picked")), "the values of the point are listed");
check(await page.isVisible("#pick-label"), "the point has a tag");
await page.screenshot({ path: join(out, "picked.png") });
await page.check("#follow-point");
const followed = (await probe(page)).camera;
await page.keyboard.press("Home");
await until(page, (s) => s.shownStep === 0 && JSON.stringify(s.camera) !== JSON.stringify(followed), "the camera follows the point");
await page.keyboard.press("End");
await until(page, (s) => s.shownStep === lastStep, "and comes back");
await page.click("#pick-clear");
check((await probe(page)).picked === null, "a button lets go");
await page.mouse.click(box.x + target[0] * box.width, box.y + target[1] * box.height);
await until(page, (s) => s.picked !== null, "and a click picks it again");
await page.uncheck("#follow-point");
await page.keyboard.press("Escape");
check((await probe(page)).picked === null, "Escape lets go");
await page.check("#ruler");
// Corners of all cubes in turn: some are hidden by others, which ones is the camera's affair.
for (let i = 0; i < 40 && !((await probe(page)).ruler > 0); i++) {
  const [x, y] = await page.evaluate((i) => window.abut.placeOfPoint(i), i);
  await page.mouse.click(box.x + x * box.width, box.y + y * box.height);
  await page.waitForTimeout(300);
}
await until(page, (s) => s.ruler > 0, "the ruler measures a length");
await page.uncheck("#ruler");
await page.keyboard.press("Escape");

// ---- a link restores the view ----
await page.$eval("details:has(#export-png)", (item) => (item.open = true));
await page.selectOption("#color", "stress");
await page.keyboard.press("d");
await atRest(page);
await page.click("#export-link");
await page.waitForFunction(() => location.hash.startsWith("#view="));
const link = page.url();
const restored = await openPage(browser, link);
const kept = await probe(page);
state = await until(restored.page, (s) => s.shownStep === kept.shownStep && s.color === "stress", "a link restores frame and colour");
check(state.camera.every((x, i) => Math.abs(x - kept.camera[i]) <= 2e-3 * (1 + Math.abs(x))), `and the camera: ${state.camera} for ${kept.camera}`);
check((await restored.page.getAttribute("html", "data-theme")) === "dark", "and the theme");
await restored.context.close();
await page.keyboard.press("d");

// ---- charts ----
check((await probe(page)).chartRows === rows, `charts have all ${rows} rows`);
check((await page.$$(".charts .chart-box")).length === 5, "five charts");
const chart = await page.locator('[data-chart="Contacts"] canvas').boundingBox();
await page.mouse.click(chart.x + chart.width * 0.55, chart.y + chart.height / 2);
state = await until(page, (s) => s.index > 0 && s.index < s.frames - 1, "a click into a chart moves the time");
check((await page.textContent('[data-chart="Energies"]')).includes("kinetic"), "charts have a legend with numbers");

// ---- keys, themes ----
await page.keyboard.press("?");
check(await page.isVisible("#help"), "the list of keys");
await page.keyboard.press("Escape");
await page.click("#keys");
check(await page.isVisible("#help"), "the list of keys by its button");
await page.click("#help button");
check(await page.isHidden("#help"), "and away");
const words = await page.evaluate(() => [2000.4, 11530.4, 0.5, 45, 1.25e7, 3e-4, -12.3456, 1e-2].map((x) => window.abut.numberText(x)).join(" "));
check(words === "2000 11530 0.5 45 1.25e7 3.00e−4 −12.35 0.01", `numbers in words: ${words}`);
await page.keyboard.press("c");
await until(page, (s) => s.color !== "stress", "a key changes the colour");
await page.keyboard.press("d");
check((await page.getAttribute("html", "data-theme")) === "dark", "dark");
await page.waitForTimeout(300);
await page.screenshot({ path: join(out, "dark.png") });
await page.keyboard.press("d");

// ---- export ----
await page.$eval("details:has(#export-png)", (item) => (item.open = true));
for (const id of ["first", "last"]) {
  await page.click(`#${id}`);
  await until(page, (s) => s.index === (id === "first" ? 0 : s.frames - 1), `the button ${id}`);
}
await page.click("#play");
await until(page, (s) => s.playing, "the button plays");
await page.click("#play");
await until(page, (s) => !s.playing, "and pauses");
await page.click("#forward");
for (const id of ["theme", "toggle-charts", "toggle-panel"]) {
  const look = () => page.evaluate(() => `${document.documentElement.dataset.theme} ${document.body.className}`);
  const from = await look();
  await page.click(`#${id}`);
  check((await look()) !== from, `the button ${id}`);
  await page.click(`#${id}`);
  check((await look()) === from, `${id} and back`);
}
// Software draws every pass of every picture: fewer pixels, more time.
await page.setViewportSize({ width: 1280, height: 420 }); // not so narrow that the panels fold
const file = () => page.waitForEvent("download", { timeout: 900000 });
const [picture] = await Promise.all([file(), page.click("#export-png")]);
await picture.saveAs(join(out, "export.png"));
const png = readFileSync(join(out, "export.png"));
check(png.subarray(1, 4).toString() === "PNG" && png.length > 5000, `a picture of ${png.length} bytes`);
const [archive] = await Promise.all([file(), page.click("#export-zip")]);
await archive.saveAs(join(out, "frames.zip"));
const zipped = readFileSync(join(out, "frames.zip"));
check(zipped.readUInt32LE(0) === 0x04034b50 && zipped.readUInt16LE(zipped.length - 12) === (await probe(page)).frames, `a ZIP file of ${zipped.length} bytes has a picture of every frame`);
const [recorded] = await Promise.all([file(), page.click("#export-webm")]);
await recorded.saveAs(join(out, "film.webm"));
const film = readFileSync(join(out, "film.webm"));
check(film.readUInt32BE(0) === 0x1a45dfa3, `a film of ${film.length} bytes`);
// The browser itself plays it to its end, in a page that may show films.
const cinema = await (await browser.newContext()).newPage();
const seconds = await cinema.evaluate(async (data) => {
  const video = document.createElement("video");
  video.src = `data:video/webm;base64,${data}`;
  await new Promise((done, fail) => {
    video.onloadeddata = done;
    video.onerror = () => fail(new Error(video.error.message));
  });
  const look = async (at) => {
    video.currentTime = at;
    await new Promise((done) => (video.onseeked = done));
    const canvas = document.createElement("canvas");
    [canvas.width, canvas.height] = [64, 40];
    canvas.getContext("2d").drawImage(video, 0, 0, 64, 40);
    return Array.from(canvas.getContext("2d").getImageData(0, 0, 64, 40).data);
  };
  const [begin, end] = [await look(0), await look(video.duration * 0.99)];
  return [video.duration, video.videoWidth, video.videoHeight, begin, end];
}, film.toString("base64")).catch((error) => [String(error)]);
check(seconds[0] > 0 && seconds[1] > 100, `that plays: ${seconds.slice(0, 3)}`);
check(seconds.length === 5 && difference(seconds[3], seconds[4]) > 0.01 && new Set(seconds[3]).size > 8, "its first and its last picture are not empty and differ");
await cinema.context().close();
await page.selectOption("#color", "velocity");
const [exported] = await Promise.all([file(), page.click("#export-html")]);
await exported.saveAs(join(out, "export.html"));
const frames = (await probe(page)).frames;
for (const summary of await page.$$("summary")) {
  const folded = async () => summary.evaluate((item) => !item.parentElement.open);
  const before = await folded();
  await summary.click();
  check((await folded()) !== before, `${await summary.textContent()} folds`);
  if (await folded()) await summary.click();
}
for (const box of await page.$$(".bodies input")) await box.click();
await until(page, (s) => s.look.hidden > 1, "all bodies are hidden");
for (const box of await page.$$(".bodies input")) await box.click();
await page.selectOption("#range-mode", "hand");
await page.waitForSelector("#range-low", { state: "visible" });
await page.fill("#range-low", "-1");
await page.locator("#range-low").blur();
await until(page, (s) => s.range[0] === -1, "the lower end by hand");
// Every control that the page shows was operated.
const left = await page.evaluate(() => [...document.querySelectorAll("button, input, select, summary, canvas[id]")].filter((item) => item.checkVisibility()).map((item) => item.id || item.closest("[data-section], dialog")?.dataset.section || item.closest("dialog")?.id || item.textContent).filter((name) => !window.operated.has(name)));
check(left.length === 0, `controls that were not operated: ${[...new Set(left)].join(", ") || "none"}`);
check(problems.length === 0, `no complaints in the console: ${problems.join("; ")}`);
check((await server.stop()) === 0, "Ctrl-C ends the server with 0");

// The exported page works from the disk, without the server and without a network.
const offline = await openPage(browser, `file://${join(out, "export.html")}`);
state = await until(offline.page, (s) => s.shownStep !== null && s.pictures > 0, "the exported page shows a frame", 90);
check(state.frames === frames && state.color === "velocity", "it has all frames and the colour");
await offline.page.keyboard.press("End");
await until(offline.page, (s) => s.shownStep === lastStep, "it scrubs");
check(state.chartRows === rows, "it has the charts");
check(offline.problems.length === 0, `no complaints in the exported page: ${offline.problems.join("; ")}`);
await offline.page.screenshot({ path: join(out, "exported.png") });
await offline.context.close();

// ---- a run that goes on ----
const live = await serve("run", scene, "-o", join(out, "live.run"), "--view", "--quiet");
const watched = await openPage(browser, live.address);
state = await until(watched.page, (s) => s.frames > 0 && s.shownStep !== null, "the first frame of a live run", 60);
const early = state.frames;
state = await until(watched.page, (s) => s.frames > early + 1, "frames appear while it runs", 60);
state = await until(watched.page, (s) => s.index === s.frames - 1 && s.shownStep > 0, "the newest frame is followed", 60);
await watched.page.screenshot({ path: join(out, "live.png") });
check(watched.problems.filter((text) => !text.includes("404")).length === 0, `no complaints while it runs: ${watched.problems.join("; ")}`);
await until(watched.page, (s) => s.status === "ok", "the end of the run is shown", 120);
await live.stop();
state = await until(watched.page, (s) => s.status.startsWith("no answer"), "a server that ended is noticed", 20);
check(state.notice.includes("abut view live.run"), "and the page says how to start it again");
await browser.close();
finish();
