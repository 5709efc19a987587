/**
 * A whole local runtime, both Workers in one `wrangler dev`, on a state directory of one's choice: started,
 * waited for, stopped or killed. The scripts and the end-to-end tests share it.
 */
import { createServer } from "node:net";
import { join } from "node:path";
import { eventually } from "./api.ts";
import { databasesOf, type Group, launch, wrangler } from "./wrangler.ts";

const SCHEDULER = "wrangler.toml";
const LIBRARY = "examples/library/wrangler.toml";

const READY_MS_MAX = 90_000; // a cold start, on a machine that has other things to do
const STOP_MS_MAX = 5_000;

export interface Runtime {
  url: string;
  output: () => string;
  ended: Promise<number>;
  /** Lets wrangler clean up after itself. */
  stop: () => Promise<void>;
  /** SIGKILL to all at once, as a power cut would. */
  kill: () => Promise<void>;
}

export interface RuntimeOptions {
  stateDir: string;
  /** Configuration of the scheduler; the shipped one unless told otherwise. */
  scheduler?: string;
  /** Configuration of the consumer beside the scheduler; the library unless told otherwise. */
  consumer?: string;
  /** Further flags of `wrangler dev`. */
  flags?: string[];
  onOutput?: (text: string) => void;
}

/** Applies the migrations of both Workers to all their local databases. */
export async function migrate(stateDir: string): Promise<void> {
  for (const config of [SCHEDULER, LIBRARY]) {
    for (const database of databasesOf(config))
      await wrangler(
        "d1",
        "migrations",
        "apply",
        database,
        "-c",
        config,
        "--local",
        "--persist-to",
        stateDir,
      );
  }
}

export async function startRuntime({
  stateDir,
  scheduler = SCHEDULER,
  consumer = LIBRARY,
  flags = [],
  onOutput,
}: RuntimeOptions): Promise<Runtime> {
  const session = ["dev", "-c", scheduler, "-c", consumer, "--persist-to", stateDir];
  const quiet = ["--inspector-port", "0", "--show-interactive-dev-session=false"];
  // A registry of its own: another runtime on this machine, of the same names, is none of its business.
  const env = { WRANGLER_REGISTRY_PATH: join(stateDir, "registry") };
  const group = launch([...session, ...quiet, ...flags], env, onOutput);
  try {
    const url = await ready(group);
    const { output, ended } = group;
    return {
      url,
      output,
      ended,
      stop: () => end(group, "SIGTERM", url),
      kill: () => end(group, "SIGKILL", url),
    };
  } catch (error) {
    group.signal("SIGKILL");
    if (!onOutput) console.error(group.output());
    throw error;
  }
}

export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve, reject) => server.once("error", reject).listen(0, "127.0.0.1", resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === "string") throw new Error("no port to be had");
  return address.port;
}

/** The address that wrangler settled on, once the scheduler answers there. */
async function ready({ output, ended }: Group): Promise<string> {
  let over = false;
  void ended.then(() => (over = true));
  return eventually("the runtime is ready", READY_MS_MAX, async () => {
    if (over) throw new Error("wrangler ended before it was ready");
    const url = /Ready on (http:\S+)/.exec(output())?.[1];
    // Red where a state is taken up again that nobody has swept for a while: it answers all the same.
    const health = url ? await probe(`${url}/healthz`) : null;
    return health && (health.ok || health.headers.get("content-type")?.includes("json")) ? url : null;
  });
}

async function end({ signal, ended }: Group, how: NodeJS.Signals, url: string): Promise<void> {
  signal(how);
  const patience = setTimeout(signal, STOP_MS_MAX, "SIGKILL");
  await ended;
  clearTimeout(patience);
  signal("SIGKILL"); // whoever of the group has outlived its leader
  await eventually(`${url} is closed`, STOP_MS_MAX, async () => ((await probe(url)) ? null : true));
}

/** Null where nobody listens. */
export function probe(url: string): Promise<Response | null> {
  return fetch(url).catch(() => null);
}
