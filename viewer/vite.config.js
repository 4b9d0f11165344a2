// One HTML file with script and style inside: the server has one file to give, and an exported page is the same file
// with data in it.
import { defineConfig } from "vite";

function inline() {
  return {
    name: "inline",
    enforce: "post",
    generateBundle(options, bundle) {
      const page = bundle["index.html"];
      for (const [name, part] of Object.entries(bundle)) {
        if (part === page) continue;
        const text = part.type === "chunk" ? part.code : String(part.source);
        const escaped = name.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
        if (part.type === "chunk") {
          page.source = page.source.replace(new RegExp(`<script[^>]*src="[^"]*${escaped}"[^>]*></script>`), "");
          const script = text.replaceAll("</script", "<\\/script").trimEnd();
          page.source = page.source.replace("</body>", () => `<script type="module">${script}</script>\n</body>`);
        } else {
          page.source = page.source.replace(
            new RegExp(`<link[^>]*href="[^"]*${escaped}"[^>]*>`),
            () => `<style>${text.trimEnd()}</style>`,
          );
        }
        delete bundle[name];
      }
    },
  };
}

export default defineConfig({
  base: "./",
  plugins: [inline()],
  build: {
    outDir: process.env.ABUT_VIEWER_OUT || "../build/viewer",
    emptyOutDir: true,
    target: "es2022",
    modulePreload: false,
    assetsInlineLimit: 1 << 24,
    chunkSizeWarningLimit: 2000,
  },
});
