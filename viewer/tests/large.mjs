// A large run in the page: every frame can be shown, memory stays bounded, and the work per frame is small.
// usage: node large.mjs RUN_FOLDER [CACHE_MEGABYTES]
import { check, finish, openBrowser, openPage, probe, serve, until } from "./browser.mjs";

const [runFolder, cache = "60"] = process.argv.slice(2);
const browser = await openBrowser();
const server = await serve("view", runFolder);
const { page, problems } = await openPage(browser, `${server.address}?cache=${cache}`);
const sizes = []; // bytes of the frames that come as changes
page.on("response", async (answer) => {
  if (/frame\?.*base=/.test(answer.url())) sizes.push(Number((await answer.allHeaders())["content-length"]));
});
let state = await until(page, (s) => s.shownStep !== null && s.pictures > 0, "the first frame", 120);
check(state.triangles >= 199000, `${state.triangles} triangles, ${state.frames} frames`);
await page.uncheck("#shadows"); // software OpenGL draws everything twice with them
const started = Date.now();
let largest = 0;
await page.keyboard.press("End");
await until(page, (s) => s.index === s.frames - 1 && s.shownStep > 0, "a jump to the last frame", 60);
const jump = Date.now() - started;
await page.keyboard.press("Home");
await until(page, (s) => s.index === 0, "and back", 60);
await page.keyboard.press("Space");
const begin = Date.now();
const seen = new Set();
while (Date.now() - begin < 15000) {
  state = await probe(page);
  seen.add(state.index);
  largest = Math.max(largest, state.cachedBytes);
  await page.waitForTimeout(20);
}
check(seen.size > 3, `${seen.size} different frames in 15 s of playing`);
check(largest < 1.2e6 * Number(cache), `at most ${Math.round(largest / 1e6)} MB of frames in memory`);
const times = [...state.displayTimes].sort((a, b) => a - b);
const median = times[Math.floor(times.length / 2)];
check(median < 200, `${median.toFixed(1)} ms of work per frame (median), ${jump} ms for a jump to the end`);
sizes.sort((a, b) => a - b);
check(sizes.length > 3 && sizes[Math.floor(sizes.length / 2)] < 0.5 * 6 * state.pointCount, `${sizes[Math.floor(sizes.length / 2)]} bytes of a frame that comes as changes (median of ${sizes.length}), ${state.pointCount} points`);
check(problems.length === 0, `no complaints in the console: ${problems.join("; ")}`);
await server.stop();
await browser.close();
finish();
