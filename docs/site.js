// Search in the pages and copy buttons, without a server: the index is a script beside this one.
(() => {
  const root = document.currentScript.src.replace(/site\.js$/, "");
  const menu = document.querySelector(".menu");
  const fold = (text) => text.toLowerCase().normalize("NFKD");

  // ---- search ----
  const box = Object.assign(document.createElement("input"), { type: "search", placeholder: "Search (press /)", id: "search" });
  box.setAttribute("aria-label", "search in the pages");
  const list = Object.assign(document.createElement("ol"), { id: "found", hidden: true });
  list.setAttribute("aria-live", "polite");
  menu?.prepend(box, list);

  /** All words must be in a section; those in its title count more, and so do whole words. */
  function find(query) {
    const words = fold(query).split(/\s+/).filter((word) => word.length > 1);
    if (words.length === 0) return [];
    const hits = [];
    for (const [page, anchor, title, section, text] of window.siteIndex ?? []) {
      const head = fold(`${section} ${title}`);
      const body = fold(text);
      let score = 0;
      for (const word of words) {
        const here = (head.includes(word) ? 8 : 0) + (body.includes(word) ? 1 : 0) + (new RegExp(`\\b${word.replace(/[^\p{L}\p{N}]/gu, "\\$&")}\\b`, "u").test(body) ? 1 : 0);
        if (here === 0) {
          score = 0;
          break;
        }
        score += here;
      }
      if (score > 0) hits.push({ page, anchor, title, section, text, score, word: words[0] });
    }
    return hits.sort((a, b) => b.score - a.score).slice(0, 12);
  }

  function show() {
    const hits = find(box.value);
    list.hidden = box.value.trim().length < 2;
    list.replaceChildren(
      ...hits.map(({ page, anchor, title, section, text, word }) => {
        const item = document.createElement("li");
        const link = Object.assign(document.createElement("a"), { href: root + page + (anchor ? `#${anchor}` : ""), textContent: section === title ? title : `${title}: ${section}` });
        const at = Math.max(0, fold(text).indexOf(word) - 40);
        item.append(link, Object.assign(document.createElement("small"), { textContent: `${at > 0 ? "…" : ""}${text.slice(at, at + 110)}…` }));
        return item;
      }),
    );
    if (hits.length === 0 && !list.hidden) list.append(Object.assign(document.createElement("li"), { textContent: "nothing found" }));
  }

  box.addEventListener("focus", () => {
    if (window.siteIndex || document.getElementById("site-index")) return;
    document.head.append(Object.assign(document.createElement("script"), { id: "site-index", src: `${root}search.js`, onload: show }));
  });
  box.addEventListener("input", show);
  box.addEventListener("keydown", (event) => {
    if (event.key === "Enter") list.querySelector("a")?.click();
    if (event.key === "Escape") (box.value = ""), show();
  });
  document.addEventListener("keydown", (event) => {
    if (event.key !== "/" || event.target.matches("input, textarea, select")) return;
    event.preventDefault();
    box.focus();
  });

  // ---- copy buttons ----
  for (const block of document.querySelectorAll("pre")) {
    const button = Object.assign(document.createElement("button"), { type: "button", className: "copy", textContent: "copy" });
    button.setAttribute("aria-label", "copy this text");
    button.addEventListener("click", async () => {
      const text = block.querySelector("code")?.textContent ?? block.textContent;
      try {
        await navigator.clipboard.writeText(text);
        button.textContent = "copied";
      } catch {
        getSelection().selectAllChildren(block.querySelector("code") ?? block);
        button.textContent = "selected";
      }
      setTimeout(() => (button.textContent = "copy"), 1500);
    });
    block.append(button);
  }
})();
