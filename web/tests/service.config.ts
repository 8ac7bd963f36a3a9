// Tests against the real service, one after the other: they share one workspace.
import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["tests/flows/**/*.test.ts", "tests/client/**/*.test.ts"],
    globalSetup: "tests/service/start.ts",
    setupFiles: "tests/unit/setup.ts",
    environment: "node",
    fileParallelism: false,
    // Playwright takes long to load; once is enough.
    pool: "forks",
    poolOptions: { forks: { singleFork: true, isolate: false } },
    // Waiting ends when what is waited for is there.  These are for a machine that has much else to do.
    testTimeout: 240_000,
    hookTimeout: 240_000,
  },
});
