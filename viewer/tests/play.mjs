// A scene that is played: go, pause, step, reset, speed, and a body that is pulled with the mouse.
// usage: node play.mjs SCENE FAILING_SCENE OUTPUT_FOLDER
// SCENE has a soft body (0) and a rigid one (1) on a floor and a wall that is an obstacle (2); FAILING_SCENE has a first step
// that fails.
import { join } from "node:path";
import { atRest, changes, check, finish, openBrowser, openPage, pixels, probe, serve, until } from "./browser.mjs";

const [scene, failing, out] = process.argv.slice(2);
const browser = await openBrowser();
const server = await serve("view", scene, "--play");
const { page, problems, context } = await openPage(browser, server.address, { viewport: { width: 1280, height: 800 } });
let state = await until(page, (s) => s.shownStep === 0 && s.pictures > 0 && s.play, "the start is shown");
check(state.play.paused && state.status.startsWith("paused"), `it begins paused: ${state.status}`);
check(await page.isVisible("#play-reset"), "there is a button for the start");
check(await page.isHidden("#loop"), "loop and follow are for finished runs");

await page.click("#forward");
state = await until(page, (s) => s.play.step === 1 && s.shownStep === 1, "one step");
await page.keyboard.press("ArrowRight");
state = await until(page, (s) => s.play.step === 2 && s.shownStep === 2, "one more by key");
await page.keyboard.press("ArrowLeft");
state = await until(page, (s) => s.shownStep === 1, "one frame back");
check(state.play.step === 2, "looking back changes nothing");
await page.keyboard.press("Space");
state = await until(page, (s) => s.play.step > 8 && s.shownStep > 6, "it goes on, and the newest frame is shown");
check(state.status.startsWith("playing at 1×"), `the status says so: ${state.status}`);
await page.selectOption("#speed", "0.5");
await until(page, (s) => s.play.speed === 0.5, "half the speed");
await page.click("#play");
state = await until(page, (s) => s.play.paused, "it pauses");
check(state.chartRows >= 8, `charts have ${state.chartRows} rows`);
await page.selectOption("#speed", "1");

// Where a point of a body is on the screen, and one that can be seen.
const box = await page.locator("#stage").boundingBox();
async function seen(body) {
  const found = await page.evaluate((body) => window.abut.pointOf(body), body);
  return [box.x + found[0] * box.width, box.y + found[1] * box.height];
}
async function drag(body, by, hold) {
  const from = await seen(body);
  await page.mouse.move(...from);
  await page.mouse.down();
  await page.mouse.move(from[0] + by[0] / 2, from[1] + by[1] / 2, { steps: 3 });
  await page.mouse.move(from[0] + by[0], from[1] + by[1], { steps: 3 });
  await hold();
  await page.mouse.up();
}
const height = (body) => page.evaluate((body) => window.abut.heightOf(body), body);
for (const [body, name] of [[0, "the soft body"], [1, "the rigid body"]]) {
  await page.keyboard.press("Backspace");
  await until(page, (s) => s.play.step === 0 && s.shownStep === 0 && s.frames === 1, "the start again");
  await page.keyboard.press("f");
  await atRest(page);
  const before = await height(body);
  const camera = JSON.stringify((await probe(page)).camera);
  await drag(body, [0, -120], async () => {
    state = await until(page, (s) => s.pulling && s.play.force !== null, `${name}: a drag pulls it`);
    await page.keyboard.press("Space");
    const first = state.play.step;
    state = await until(page, (s) => s.play.step > first + 60, `${name}: it goes on under the pull`, 60);
    await page.keyboard.press("Space");
    await page.screenshot({ path: join(out, `play-${body}.png`) });
  });
  check((await height(body)) > before + 0.02, `${name} is lifted from ${before.toFixed(3)} to ${(await height(body)).toFixed(3)} m`);
  check(JSON.stringify((await probe(page)).camera) === camera, "the view has not turned");
  state = await until(page, (s) => s.play.force === null && !s.pulling, "and let go");
}

// A click on a body picks a point; a drag beside the bodies turns the view; without "pull" a drag on a body does, too.
await page.mouse.click(...(await seen(1)));
await until(page, (s) => s.picked !== null, "a click picks a point");
await page.keyboard.press("Escape");
let camera = JSON.stringify((await probe(page)).camera);
await page.mouse.move(box.x + 30, box.y + box.height - 60);
await page.mouse.down();
await page.mouse.move(box.x + 130, box.y + box.height - 90, { steps: 4 });
await page.mouse.up();
check(JSON.stringify((await probe(page)).camera) !== camera, "a drag beside the bodies turns the view");
await page.uncheck("#play-pull");
camera = JSON.stringify((await probe(page)).camera);
await drag(1, [60, 10], async () => check(!(await probe(page)).pulling, "pulling is off"));
check(JSON.stringify((await probe(page)).camera) !== camera, "then a drag on a body turns the view");
await page.check("#play-pull");
const before = await pixels(page);
await page.keyboard.press("Space");
await changes(page, before, 0.001, "the picture follows");
await page.keyboard.press("Space");
// A frame that a reset has taken away in the meantime is answered by 404, and asked for no more.
const complaints = problems.filter((text) => !text.includes("404"));
check(complaints.length === 0, `no complaints: ${complaints.join("; ")}`);
await context.close();

// Small windows.
for (const [width, height] of [[800, 600], [400, 800]]) {
  const small = await openPage(browser, server.address, { viewport: { width, height }, hasTouch: width < 500 });
  await until(small.page, (s) => s.shownStep !== null && s.play, `${width}x${height}: shown`);
  const outside = await small.page.evaluate(() => [...document.querySelectorAll(".bar *")].filter((item) => item.checkVisibility() && (item.getBoundingClientRect().right > innerWidth + 1 || item.getBoundingClientRect().bottom > innerHeight + 1)).length);
  check(outside === 0, `${width}x${height}: all controls are within the window`);
  await small.page.screenshot({ path: join(out, `play-${width}.png`) });
  await small.context.close();
}
await server.stop();

// A step that fails is told in words, and the simulation can go on from the start.
const bad = await serve("view", failing, "--play");
const broken = await openPage(browser, bad.address);
await until(broken.page, (s) => s.shownStep === 0 && s.play, "a scene whose step fails");
await broken.page.keyboard.press("ArrowRight");
state = await until(broken.page, (s) => s.play.message !== "" && s.notice.startsWith("A step has failed"), "it says that a step has failed", 60);
await broken.page.screenshot({ path: join(out, "play-failed.png") });
await broken.page.keyboard.press("Backspace");
await until(broken.page, (s) => s.notice === "" && s.play.step === 0, "and goes back to the start");
await bad.stop();
await browser.close();
finish();
