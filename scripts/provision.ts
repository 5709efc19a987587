/**
 * What the scheduler needs in an account before it can be deployed: databases, queues, secrets. What is there is left
 * alone, what is missing is made; run twice, the second time makes nothing.
 */
import { randomBytes } from "node:crypto";

/** Runs wrangler to its end and gives what it printed; throws with that where it failed. */
export type Wrangler = (...args: string[]) => Promise<string>;

/** What a wrangler.toml names. */
export interface Needs {
  worker: string;
  databases: string[];
  queues: string[];
  /** Secret → how to make one. */
  secrets: Record<string, () => string>;
}

export interface Provisioned {
  /** Database → its id in the account. */
  databases: Map<string, string>;
  /** Those that were made just now, by kind, for the report. */
  made: string[];
  /** Secrets that the Worker lacks, to be uploaded with it. */
  secrets: Record<string, string>;
}

interface Configuration {
  name?: string | undefined;
  d1_databases: { database_name?: string | undefined }[];
  queues: {
    producers?: { queue: string }[] | undefined;
    consumers?: { queue: string; dead_letter_queue?: string | undefined }[] | undefined;
  };
}

export function needsOf(config: Configuration, secrets: Needs["secrets"]): Needs {
  const { producers = [], consumers = [] } = config.queues;
  const queues = [
    ...producers.map(({ queue }) => queue),
    ...consumers.flatMap(({ queue, dead_letter_queue }) => [queue, dead_letter_queue]),
  ];
  return {
    worker: config.name ?? "",
    databases: config.d1_databases.flatMap(({ database_name }) => database_name ?? []),
    queues: [...new Set(queues)].filter((queue) => queue !== undefined),
    secrets,
  };
}

export async function provision(needs: Needs, wrangler: Wrangler): Promise<Provisioned> {
  const made: string[] = [];
  const databases = await provideDatabases(needs.databases, wrangler, made);
  await provideQueues(needs.queues, wrangler, made);
  const secrets = await missingSecrets(needs, wrangler);
  return { databases, made, secrets };
}

async function provideDatabases(names: string[], wrangler: Wrangler, made: string[]) {
  let known = await listDatabases(wrangler);
  for (const name of names.filter((it) => !known.has(it))) {
    await wrangler("d1", "create", name);
    made.push(`database ${name}`);
  }
  if (made.length > 0) known = await listDatabases(wrangler);
  const lost = names.filter((name) => !known.has(name));
  if (lost.length > 0) throw new Error(`made, and not listed afterwards: ${lost.join(", ")}. Run it again.`);
  return new Map(names.map((name) => [name, known.get(name)!]));
}

async function listDatabases(wrangler: Wrangler): Promise<Map<string, string>> {
  const listed = jsonIn(await wrangler("d1", "list", "--json")) as { name: string; uuid: string }[];
  return new Map(listed.map(({ name, uuid }) => [name, uuid]));
}

/** The list of queues is a table for people: making one that exists is the surer question. */
async function provideQueues(names: string[], wrangler: Wrangler, made: string[]): Promise<void> {
  for (const name of names) {
    try {
      await wrangler("queues", "create", name);
      made.push(`queue ${name}`);
    } catch (error) {
      if (!/already (exists|taken|in use)|11009/i.test(String(error))) throw error;
    }
  }
}

async function missingSecrets(
  { worker, secrets }: Needs,
  wrangler: Wrangler,
): Promise<Record<string, string>> {
  const set = await listSecrets(worker, wrangler);
  const missing = Object.entries(secrets).filter(([name]) => !set.includes(name));
  return Object.fromEntries(missing.map(([name, make]) => [name, make()]));
}

async function listSecrets(worker: string, wrangler: Wrangler): Promise<string[]> {
  try {
    const listed = jsonIn(await wrangler("secret", "list", "--name", worker, "--format", "json"));
    return (listed as { name: string }[]).map(({ name }) => name);
  } catch (error) {
    if (/10007|does not exist|not found/i.test(String(error))) return []; // never deployed
    throw error;
  }
}

/** Wrangler may greet, or tell of a newer version, before and after what was asked for. */
function jsonIn(output: string): unknown {
  const [from, to] = [output.indexOf("["), output.lastIndexOf("]")];
  if (from < 0) throw new Error(`expected a list in JSON, found:\n${output}`);
  return JSON.parse(output.slice(from, to + 1));
}

/** The configuration with the ids of this account: wrangler.toml itself stays the same for everybody. */
export function withIds(toml: string, databases: ReadonlyMap<string, string>): string {
  return toml.replace(/^database_name = "([^"]+)"$/gm, (line, name: string) => {
    const id = databases.get(name);
    return id ? `${line}\ndatabase_id = "${id}"` : line;
  });
}

export function randomToken(): string {
  return randomBytes(24).toString("base64url");
}

export function randomKey(): string {
  return randomBytes(32).toString("base64");
}
