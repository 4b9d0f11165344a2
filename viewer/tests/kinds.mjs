// One run of every kind of body in the page: it draws something, plays to the end, and complains about nothing.
// usage: node kinds.mjs OUTPUT_FOLDER RUN_FOLDER...   (pictures are named after the runs)
import { basename, join } from "node:path";
import { check, difference, finish, openBrowser, openPage, pixels, serve, until } from "./browser.mjs";

const [out, ...runs] = process.argv.slice(2);
const browser = await openBrowser();
for (const run of runs) {
  const name = basename(run).replace(/\.run$/, "");
  const server = await serve("view", run);
  const { page, problems, context } = await openPage(browser, server.address);
  let state = await until(page, (s) => s.shownStep !== null && s.pictures > 0, `${name}: the first frame`, 60);
  await page.waitForTimeout(300);
  const first = await pixels(page);
  check(new Set(first.filter((_, i) => i % 4 === 0)).size > 8, `${name}: ${state.triangles} triangles, the picture is not empty`);
  await page.keyboard.press("End");
  state = await until(page, (s) => s.index === s.frames - 1 && s.shownStep > 0, `${name}: the last of ${state.frames} frames`, 60);
  await page.waitForTimeout(300);
  check(difference(first, await pixels(page)) > 0.001, `${name}: something has moved`);
  await page.screenshot({ path: join(out, `${name}.png`) });
  check(problems.length === 0, `${name}: no complaints in the console: ${problems.join("; ")}`);
  await context.close();
  await server.stop();
}
await browser.close();
finish();
