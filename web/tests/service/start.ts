// Starts the program's own service over a new workspace, once for all files.
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
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
  const program = process.env.UNSCATTER_PROGRAM;
  if (!program) throw new Error("UNSCATTER_PROGRAM names no program");
  const folder = mkdtempSync(join(tmpdir(), "unscatter-page-"));
  const options = { cwd: folder, env: { ...process.env, UNSCATTER_KEY: join(folder, "signing.key") } };
  const run = (...args: string[]) => execFileSync(program, args, { ...options, stdio: ["ignore", "pipe", "ignore"] });
  const token = (scopes: string): string =>
    JSON.parse(run("token", "--workspace", "w.unscatter", "--scopes", scopes, "--json").toString()).token;

  run("datasets", "generate", "made.jsonl", "--kind", "fraud", "--graphs", "120", "--accounts", "300", "--quiet");
  run("train", "--data", "made.jsonl", "--workspace", "w.unscatter", "--quiet");
  project.provide("operator", token("submit,operate,read,predict"));
  project.provide("reader", token("read"));
  const service = spawn(program, ["serve", "--workspace", "w.unscatter", "--listen", "127.0.0.1:0"], options);
  project.provide("url", await addressOf(service));
  return async () => {
    const ended = new Promise((resolve) => service.once("exit", resolve));
    service.kill("SIGTERM");
    // Connections that a client keeps may hold the service back.  How it ends is tested with the service.
    const patience = setTimeout(() => service.kill("SIGKILL"), 3000);
    await ended;
    clearTimeout(patience);
    rmSync(folder, { recursive: true });
  };
}

// The service says where it listens as soon as it takes requests.
function addressOf(service: ChildProcess): Promise<string> {
  let said = "";
  return new Promise((resolve, reject) => {
    const listen = (part: Buffer) => {
      said += part.toString();
      const found = /at (https?:\/\/\S+)/.exec(said);
      if (found) resolve(found[1]!);
    };
    service.stdout!.on("data", listen);
    service.stderr!.on("data", listen);
    service.once("exit", () => reject(new Error(`the service did not start: ${said}`)));
  });
}
