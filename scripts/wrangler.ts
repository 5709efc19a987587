/** Wrangler as a child, in a process group of its own: workerd is its grandchild and survives it otherwise. */
import { spawn } from "node:child_process";
import { join } from "node:path";
import { unstable_readConfig as readConfig } from "wrangler";

export const ROOT = join(import.meta.dirname, "..");
const BIN = join(ROOT, "node_modules/wrangler/bin/wrangler.js");

export interface Group {
  /** All that was printed, for the message of a failure. */
  output: () => string;
  /** Resolves with the exit code once the leader has ended, by itself or not. */
  ended: Promise<number>;
  /** Reaches every process of the group. */
  signal: (name: NodeJS.Signals) => void;
}

export function launch(
  args: string[],
  env: Record<string, string>,
  onOutput?: (text: string) => void,
): Group {
  const child = spawn(process.execPath, [BIN, ...args], {
    cwd: ROOT,
    detached: true,
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, WRANGLER_SEND_METRICS: "false", ...env },
  });
  let said = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => {
      said += text;
      onOutput?.(text);
    });
  }
  function signal(name: NodeJS.Signals): void {
    try {
      if (child.pid) process.kill(-child.pid, name);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error; // already gone is what was wanted
    }
  }
  const onExit = () => signal("SIGKILL"); // however we end, nothing is left running
  process.prependOnceListener("exit", onExit); // before those who tidy up after it
  const ended = new Promise<number>((resolve, reject) => {
    child.once("error", reject);
    child.once("exit", (code) => {
      process.removeListener("exit", onExit);
      resolve(code ?? 1);
    });
  });
  return { output: () => said, ended, signal };
}

/** Runs a command to its end and returns what it printed. */
export async function wrangler(...args: string[]): Promise<string> {
  const { ended, output } = launch(args, { CI: "1" });
  const code = await ended;
  if (code !== 0) throw new Error(`wrangler ${args.join(" ")} ended with ${code}\n${output()}`);
  return output();
}

/** The D1 bindings of a Worker's configuration. */
export function databasesOf(config: string): string[] {
  const { d1_databases } = readConfig({ config: join(ROOT, config) });
  return d1_databases.map(({ binding }: { binding: string }) => binding);
}
