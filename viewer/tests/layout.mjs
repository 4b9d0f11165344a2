// The page at three sizes and in all its states. usage: node layout.mjs RUN_FOLDER REFUSED_SCENE SCRATCH OUTPUT_FOLDER
import { cpSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { check, finish, openBrowser, openPage, serve, until } from "./browser.mjs";

const [runFolder, refused, scratch, out] = process.argv.slice(2);
const browser = await openBrowser();

/** Controls that stick out of the window, or have no name; text that is cut off. */
async function flaws(page) {
  return page.evaluate(() => {
    const found = [];
    const seen = (item) => item.checkVisibility({ visibilityProperty: true }) && item.getClientRects().length > 0;
    const scrolled = (item) => item.closest(".panel, .charts, .tabs");
    for (const item of document.querySelectorAll("button, input, select, output, #status, #scale-bar, #axes, #legend, #notice")) {
      if (!seen(item)) continue;
      const box = item.getBoundingClientRect();
      const name = item.id || item.textContent;
      if (!scrolled(item) && (box.left < -1 || box.top < -1 || box.right > innerWidth + 1 || box.bottom > innerHeight + 1)) found.push(`${name} sticks out`);
      if (item.closest(".panel") && box.right > innerWidth + 1) found.push(`${name} is wider than the panel`);
      const control = item.matches("button, input, select");
      if (control && !item.getAttribute("aria-label") && !item.labels?.length && !item.textContent.trim()) found.push(`${name} has no label`);
      if (item.matches("button") && item.scrollWidth > item.clientWidth + 1) found.push(`${name} is cut`);
    }
    if (document.documentElement.scrollWidth > innerWidth) found.push("the page is wider than the window");
    return found;
  });
}

/** Contrast of two CSS colours as WCAG counts it. */
async function contrasts(page) {
  return page.evaluate(() => {
    const style = getComputedStyle(document.documentElement);
    const light = (name) => {
      const text = style.getPropertyValue(`--${name}`).trim();
      const [r, g, b] = [1, 3, 5].map((i) => parseInt(text.slice(i, i + 2), 16) / 255).map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4));
      return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };
    const ratio = (a, b) => (Math.max(light(a), light(b)) + 0.05) / (Math.min(light(a), light(b)) + 0.05);
    return ["front", "soft", "bad", "accent"].flatMap((name) => ["back", "box"].map((ground) => [`${name} on ${ground}`, ratio(name, ground)]));
  });
}

const server = await serve("view", runFolder, "--compare", runFolder);
for (const [width, height] of [[1280, 800], [800, 600], [400, 800]]) {
  const { page, problems, context } = await openPage(browser, server.address, { viewport: { width, height }, hasTouch: width < 500 });
  await until(page, (s) => s.shownStep !== null && s.pictures > 0, `${width}x${height}: a frame`);
  await page.keyboard.press("End");
  await page.waitForTimeout(400);
  check((await flaws(page)).length === 0, `${width}x${height}: ${(await flaws(page)).join("; ") || "nothing sticks out, all is labelled"}`);
  const stage = await page.locator("#stage").boundingBox();
  check(stage.width >= 0.75 * width && stage.height >= 0.5 * height, `${width}x${height}: the picture has ${Math.round((100 * stage.width) / width)} % of the width`);
  await page.screenshot({ path: join(out, `layout-${width}.png`) });
  if (width < 500) {
    for (const tab of ["colour", "view", "bodies", "measure", "run", "export", "charts"]) {
      await page.tap(`#tab-${tab}`);
      await page.waitForTimeout(150);
      const open = await page.evaluate(() => [...document.querySelectorAll(".panel details")].filter((d) => d.checkVisibility()).length + (getComputedStyle(document.querySelector(".charts")).display === "none" ? 0 : 1));
      check(open === 1, `tab ${tab} shows one panel`);
      check((await flaws(page)).length === 0, `tab ${tab}: ${(await flaws(page)).join("; ") || "fine"}`);
    }
    await page.screenshot({ path: join(out, "layout-400-charts.png") });
    await page.tap("#tab-charts");
    check(await page.isHidden(".charts"), "a second tap closes it");
  } else {
    await page.click("#toggle-panel");
    await page.click("#toggle-charts");
    const folded = await page.evaluate(() => document.body.className);
    await page.reload();
    await until(page, (s) => s.shownStep !== null, "again");
    check((await page.evaluate(() => document.body.className)) === folded, `${width}x${height}: panels stay as they were left (${folded})`);
  }
  if (width === 1280) {
    await page.evaluate(() => localStorage.clear());
    await page.reload();
    await until(page, (s) => s.shownStep !== null, "open again");
    for (const theme of ["light", "dark"]) {
      for (const [pair, ratio] of await contrasts(page)) check(ratio >= 4.5, `${theme}: ${pair} ${ratio.toFixed(1)}`);
      await page.keyboard.press("d");
    }
    const handle = await page.locator(".handle-panel").boundingBox();
    await page.mouse.move(handle.x + 3, handle.y + 100);
    await page.mouse.down();
    await page.mouse.move(handle.x - 80, handle.y + 100, { steps: 3 });
    await page.mouse.up();
    check((await page.locator(".panel").boundingBox()).width > 320, "the panel can be made wider");
    await page.selectOption("#compare", "beside");
    await page.waitForTimeout(800);
    await page.screenshot({ path: join(out, "compare.png") });
    await page.selectOption("#compare", "ghost");
    await page.waitForTimeout(300);
  }
  check(problems.length === 0, `${width}x${height}: no complaints: ${problems.join("; ")}`);
  await context.close();
}
const calm = await openPage(browser, server.address, { reducedMotion: "reduce" });
await until(calm.page, (s) => s.shownStep !== null && s.pictures > 0, "with reduced motion");
await calm.page.keyboard.press("x");
const there = await calm.page.evaluate(() => window.abut.probe().camera);
await calm.page.waitForTimeout(300);
check(JSON.stringify(await calm.page.evaluate(() => window.abut.probe().camera)) === JSON.stringify(there), "with reduced motion the camera does not glide");
await calm.context.close();
await server.stop();

// ---- states ----
async function state(name, words, test) {
  const shown = await serve("view", ...words);
  const { page, context } = await openPage(browser, shown.address);
  await test(page);
  await page.waitForTimeout(200);
  await page.screenshot({ path: join(out, `state-${name}.png`) });
  await context.close();
  await shown.stop();
}
const empty = join(scratch, "empty.run");
mkdirSync(join(empty, "frames"), { recursive: true });
writeFileSync(join(empty, "scene.json"), JSON.stringify({ abut: 1, name: "nothing yet", bodies: [] }));
await state("waiting", [empty], (page) => until(page, (s) => s.notice.startsWith("Waiting for the first frame"), "a run without frames yet"));
writeFileSync(join(empty, "run.json"), JSON.stringify({ status: "ok", steps: 0 }));
await state("empty", [empty], (page) => until(page, (s) => s.notice.startsWith("There are no frames"), "a finished run without frames"));
const failed = join(scratch, "failed.run");
rmSync(failed, { recursive: true, force: true });
cpSync(runFolder, failed, { recursive: true });
const run = JSON.parse(readFileSync(join(failed, "run.json"), "utf8"));
writeFileSync(join(failed, "run.json"), JSON.stringify({ ...run, status: "not converged", message: "step 7 did not converge" }));
await state("failed", [failed], async (page) => {
  await until(page, (s) => s.shownStep !== null, "a run that failed is shown");
  await page.keyboard.press("End");
  await until(page, (s) => s.notice.includes("step 7 did not converge"), "with its message", 20);
});
await state("refused", [refused], async (page) => {
  const s = await until(page, (s) => s.bad > 0, "a refused start has its bad places marked");
  check(s.notice.includes("cannot be simulated") && s.notice.includes('move "upper" by'), `and a suggestion: ${s.notice}`);
});
check(readdirSync(out).length > 8, "pictures were taken");
await browser.close();
finish();
