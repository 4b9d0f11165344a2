// Shared by the tests of the page: a server of abut, a browser without a display, checks that count failures.
import { spawn } from "node:child_process";
import { chromium } from "playwright-core";

export const abut = process.env.ABUT_COMMAND;

let failures = 0;

// Whatever ends this process ends what it started, and nothing takes longer than some minutes.
const started = [];
process.on("exit", () => started.forEach((item) => item.kill("SIGTERM")));
setTimeout(() => {
  console.log("FAIL out of time");
  process.exit(1);
}, 1500000).unref();

export function check(condition, what) {
  console.log(`${condition ? "ok  " : "FAIL"} ${what}`);
  if (!condition) failures++;
}

export function finish() {
  console.log(failures === 0 ? "all good" : `${failures} failures`);
  process.exitCode = failures === 0 ? 0 : 1;
}

/** Starts `abut WORDS...` and waits for the address that it prints. */
export async function serve(...words) {
  const process_ = spawn(abut, words, { stdio: ["ignore", "pipe", "inherit"] });
  started.push(process_);
  const address = await new Promise((done, fail) => {
    let text = "";
    process_.stdout.on("data", (part) => {
      text += part;
      const found = /^view at (\S+)$/m.exec(text);
      if (found) done(found[1]);
    });
    process_.on("exit", (code) => fail(new Error(`abut ended with ${code}: ${text}`)));
  });
  const ended = new Promise((done) => process_.on("exit", (code) => done(code)));
  return {
    address,
    ended,
    stop: async () => {
      process_.kill("SIGINT");
      return ended;
    },
  };
}

export async function openBrowser() {
  return chromium.launch({
    executablePath: process.env.ABUT_CHROMIUM ?? "/usr/bin/chromium",
    args: ["--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--ignore-gpu-blocklist"],
  });
}

/** A page that remembers errors of its console and requests to other places than its own server. */
/** watched: window.operated has the names of the controls that were clicked or changed. */
export async function openPage(browser, address, { watched, ...options } = {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 720 }, colorScheme: "light", acceptDownloads: true, ...options });
  context.setDefaultTimeout(180000); // software OpenGL on a busy machine takes its time for a picture of all passes
  const page = await context.newPage();
  if (watched)
    await page.addInitScript(() => {
      window.operated = new Set();
      const note = ({ target }) => {
        const item = target.closest?.("button, input, select, summary, canvas");
        if (item) window.operated.add(item.id || item.closest("[data-section], dialog")?.dataset.section || item.closest("dialog")?.id || item.textContent);
      };
      for (const kind of ["click", "input", "change"]) document.addEventListener(kind, note, true);
    });
  const problems = [];
  page.on("console", (message) => {
    if (message.type() === "error" || message.type() === "warning") {
      // Drivers of software OpenGL tell how fast they are; that is no problem of the page.
      if (!/GL Driver Message|swiftshader|software WebGL/i.test(message.text())) problems.push(message.text());
    }
  });
  page.on("pageerror", (error) => problems.push(String(error)));
  page.on("request", (request) => {
    const url = request.url();
    if (!url.startsWith(address.split("?")[0]) && !url.startsWith("data:") && !url.startsWith("blob:")) problems.push(`request to ${url}`);
  });
  await page.goto(address, { timeout: 120000 });
  return { page, problems, context };
}

/** The probe after the camera has come to rest. */
export async function atRest(page) {
  for (let last = ""; ; await page.waitForTimeout(250)) {
    const state = await probe(page);
    if (JSON.stringify(state.camera) === last && !state.moving) return state;
    last = JSON.stringify(state.camera);
  }
}

export const probe = (page) => page.evaluate(() => window.abut.probe());

/** Waits until a condition on the probe holds; returns the probe. */
export async function until(page, condition, what, seconds = 30) {
  const end = Date.now() + 1000 * seconds;
  for (;;) {
    // The page's own script may still be unpacking what it was given.
    const state = await page.evaluate(() => (window.abut ? window.abut.probe() : null));
    if (state && condition(state)) return state;
    if (Date.now() > end) {
      check(false, `${what}; last seen: ${JSON.stringify({ ...state, points: undefined })}`);
      return state;
    }
    await page.waitForTimeout(50);
  }
}

/** Pixels of the 3D view as [r, g, b] of a coarse grid. */
export async function pixels(page) {
  return page.evaluate(() => {
    const from = document.querySelector("#stage");
    const canvas = document.createElement("canvas");
    canvas.width = 64;
    canvas.height = 40;
    const pen = canvas.getContext("2d");
    pen.drawImage(from, 0, 0, 64, 40);
    return Array.from(pen.getImageData(0, 0, 64, 40).data);
  });
}

/** Part of the coarse pixels that differ visibly. */
export function difference(a, b) {
  let count = 0;
  for (let i = 0; i < a.length; i += 4)
    if (Math.abs(a[i] - b[i]) + Math.abs(a[i + 1] - b[i + 1]) + Math.abs(a[i + 2] - b[i + 2]) > 24) count++;
  return count / (a.length / 4);
}

/** Waits until the picture differs from an earlier one by more than a part of its pixels. */
export async function changes(page, before, least, what, seconds = 15) {
  const end = Date.now() + 1000 * seconds;
  for (;;) {
    const part = difference(before, await pixels(page));
    if (part > least || Date.now() > end) return check(part > least, part > least ? what : `${what}: ${part} of the picture differ`);
    await page.waitForTimeout(100);
  }
}
