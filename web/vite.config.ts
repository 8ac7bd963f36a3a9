// What is built is committed and embedded into the program.  Files in assets/ are named by their content, because the
// service lets browsers keep them for ever.  No source maps, nothing inline: the service allows scripts and styles from
// its own address only.
import { defineConfig } from "vitest/config";

export default defineConfig({
  base: "/",
  esbuild: { jsx: "automatic", jsxImportSource: "preact", legalComments: "none" },
  build: {
    target: "es2022",
    modulePreload: false,
    sourcemap: false,
    assetsInlineLimit: 0,
    cssCodeSplit: false,
    rollupOptions: {
      output: {
        entryFileNames: "assets/page-[hash].js",
        chunkFileNames: "assets/[name]-[hash].js",
        assetFileNames: (asset) =>
          asset.names[0]?.endsWith(".css") ? "assets/page-[hash].css" : "assets/[name]-[hash][extname]",
      },
    },
  },
  test: {
    include: ["tests/unit/**/*.test.ts"],
    environment: "node",
    setupFiles: "tests/unit/setup.ts",
    testTimeout: 60_000,
  },
});
