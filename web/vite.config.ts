import { defineConfig } from "vite";

// The service serves the page from memory under a policy that allows nothing inline.
export default defineConfig({
  build: {
    outDir: "../src/neurocross/service/page",
    emptyOutDir: true,
    target: "es2022",
    modulePreload: false,
    assetsInlineLimit: 0,
  },
  server: {
    fs: { allow: [".."] },
    proxy: { "/v1": "http://127.0.0.1:8000", "/health": "http://127.0.0.1:8000" },
  },
});
