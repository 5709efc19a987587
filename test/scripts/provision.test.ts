/** Provisioning, against an account that is made up: what wrangler would say, and what it would have to be asked. */
import { describe, expect, it } from "vitest";
import { needsOf, provision, withIds, type Needs, type Wrangler } from "../../scripts/provision.ts";

interface Account {
  databases: Map<string, string>;
  queues: Set<string>;
  /** Null: the Worker was never deployed. */
  secrets: string[] | null;
}

function account(): Account {
  return { databases: new Map(), queues: new Set(), secrets: null };
}

function wranglerFor(account: Account): { wrangler: Wrangler; asked: string[] } {
  const asked: string[] = [];
  async function wrangler(...args: string[]): Promise<string> {
    asked.push(args.join(" "));
    const [area, verb, name = ""] = args;
    switch (`${area} ${verb}`) {
      case "d1 list": {
        const listed = [...account.databases].map(([name, uuid]) => ({ uuid, name, version: "production" }));
        return `⛅️ wrangler\n${JSON.stringify(listed, null, 2)}\n`;
      }
      case "d1 create":
        account.databases.set(name, `id-of-${name}`);
        return "✅ Successfully created DB";
      case "queues create":
        if (account.queues.has(name)) throw new Error(`Queue name '${name}' is already taken. [code: 11009]`);
        account.queues.add(name);
        return "created";
      case "secret list":
        if (account.secrets === null)
          throw new Error("This Worker does not exist on your account. [code: 10007]");
        return JSON.stringify(account.secrets.map((name) => ({ name, type: "secret_text" })));
      default:
        throw new Error(`nobody expected ${args.join(" ")}`);
    }
  }
  return { wrangler, asked };
}

const NEEDS: Needs = {
  worker: "carillon",
  databases: ["carillon-ledger", "carillon-ledger-1"],
  queues: ["carillon-library", "carillon-dead"],
  secrets: { ADMIN_TOKEN: () => "token", SECRETS_KEY: () => "key" },
};

describe("provisioning", () => {
  it("makes what a new account lacks", async () => {
    const world = account();
    const { databases, made, secrets } = await provision(NEEDS, wranglerFor(world).wrangler);
    expect(made).toEqual([
      "database carillon-ledger",
      "database carillon-ledger-1",
      "queue carillon-library",
      "queue carillon-dead",
    ]);
    expect([...databases.values()]).toEqual(["id-of-carillon-ledger", "id-of-carillon-ledger-1"]);
    expect(secrets).toEqual({ ADMIN_TOKEN: "token", SECRETS_KEY: "key" });
  });

  it("makes nothing the second time, and never a secret that is set", async () => {
    const world = account();
    await provision(NEEDS, wranglerFor(world).wrangler);
    world.secrets = ["ADMIN_TOKEN", "SECRETS_KEY"];
    const { wrangler, asked } = wranglerFor(world);
    const again = await provision(NEEDS, wrangler);
    expect(again).toMatchObject({ made: [], secrets: {} });
    expect(asked.filter((it) => it.startsWith("d1 create"))).toEqual([]);
  });

  it("adds what a later version needs, and leaves the rest alone", async () => {
    const world = account();
    world.databases.set("carillon-ledger", "old");
    world.queues.add("carillon-library");
    world.secrets = ["ADMIN_TOKEN"];
    const { databases, made, secrets } = await provision(NEEDS, wranglerFor(world).wrangler);
    expect(databases.get("carillon-ledger")).toBe("old");
    expect(made).toEqual(["database carillon-ledger-1", "queue carillon-dead"]);
    expect(secrets).toEqual({ SECRETS_KEY: "key" });
  });

  it("stops at a fault of the account, and says which", async () => {
    const { wrangler } = wranglerFor(account());
    const failing: Wrangler = async (...args) => {
      if (args[0] === "queues") throw new Error("Queues is not available on your plan [code: 10064]");
      return wrangler(...args);
    };
    await expect(provision(NEEDS, failing)).rejects.toThrow("not available on your plan");
  });
});

describe("what a configuration needs", () => {
  it("is its databases, and every queue that it sends to, consumes or buries in", () => {
    const config = {
      name: "carillon",
      d1_databases: [{ database_name: "carillon-ledger" }],
      queues: {
        producers: [{ queue: "a" }, { queue: "b" }],
        consumers: [{ queue: "b", dead_letter_queue: "dead" }],
      },
    };
    expect(needsOf(config, {})).toEqual({
      worker: "carillon",
      databases: ["carillon-ledger"],
      queues: ["a", "b", "dead"],
      secrets: {},
    });
  });

  it("gets the account's ids beside the names", () => {
    const toml =
      '[[d1_databases]]\nbinding = "LEDGER"\ndatabase_name = "carillon-ledger"\nmigrations_dir = "migrations"\n';
    expect(withIds(toml, new Map([["carillon-ledger", "1234"]]))).toBe(
      '[[d1_databases]]\nbinding = "LEDGER"\ndatabase_name = "carillon-ledger"\ndatabase_id = "1234"\nmigrations_dir = "migrations"\n',
    );
  });
});
