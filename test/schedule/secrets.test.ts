/** Secrets between the door and the machine: what an edit makes of them, and who gets to read them. */
import { describe, expect, it } from "vitest";
import type { DefinitionSaid } from "../../src/core/schedule.ts";
import type { SecretsSaid } from "../../src/core/target.ts";
import type { Env } from "../../src/env.ts";
import type { Engine } from "../../src/schedule/engine.ts";
import type { CommandName, CommandOf } from "../../src/schedule/machine.ts";
import { Secrets } from "../../src/schedule/secrets.ts";
import { Bell, granted } from "./harness.ts";

const KEY = btoa("k".repeat(32));
const OTHER_KEY = btoa("o".repeat(32));
const HOOK = "https://hooks.example.com/nightly";
const [SECRET, NEXT, BEARER] = [
  "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
  "whsec_AAAQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
  "Bearer tell-nobody",
];
const ALL = { secret: SECRET, "secretHeaders/authorization": BEARER };

/** A schedule in the made-up world, with its secrets before it. */
function keeper(bell = new Bell(), env: Record<string, unknown> = { SECRETS_KEY: KEY }) {
  const engine = {
    ask: (question: (world: Bell["world"]) => unknown) => Promise.resolve(question(bell.world)),
    run: <N extends CommandName>(name: N, command: CommandOf<N>) =>
      Promise.resolve(bell.command(name, command)),
  } as unknown as Engine;
  const secrets = new Secrets(engine, env as unknown as Env, "default/job");
  return {
    bell,
    put: (
      said?: SecretsSaid<string>,
      more: { url?: string; ifMatch?: number } & Partial<DefinitionSaid> = {},
    ) => {
      const { url = HOOK, ifMatch, ...definition } = more;
      const target = said ? { url, secrets: said } : { url };
      const input = { trigger: { every: "1m" }, target, ...definition };
      return secrets.put({ namespace: "default", name: "job", who: "ann", input, ifMatch });
    },
    patch: (patch: Parameters<Secrets["patch"]>[0]["patch"]) => secrets.patch({ who: "ann", patch }),
    /** Starts what is due and asks for its call. */
    async call() {
      bell.to(bell.now + 60_000);
      const sent = bell.queue.pop()!;
      const { token } = granted(bell.start(sent, `w${bell.now}`));
      const call = await secrets.call(sent, { token, revision: 0 });
      bell.command("complete", { ...sent, token });
      return call;
    },
    ask: (...args: Parameters<Secrets["call"]>) => secrets.call(...args),
  };
}

const shown = (bell: Bell) => bell.state.secrets.map(({ field }) => field);

describe("what is said in secret", () => {
  it("is opened for the call, and stands nowhere else", async () => {
    const { bell, put, call } = keeper();
    const created = granted(await put(ALL));
    expect(created.schedule.definition["target"]).toMatchObject({
      secret: { set: true, fingerprint: expect.stringMatching(/^[0-9a-f]{16}$/) },
      secretHeaders: { authorization: { set: true, fingerprint: expect.any(String) } },
    });
    expect(granted(await call())).toEqual({
      url: HOOK,
      method: "POST",
      headers: {},
      timeoutMs: 30_000,
      secretHeaders: { authorization: BEARER },
      signing: [SECRET],
    });
    const everything = JSON.stringify([
      bell.world,
      bell.ledger.schedule,
      [...bell.ledger.changes],
      bell.sent,
      created,
    ]);
    for (const text of [SECRET.slice(6), "tell-nobody"]) expect(everything).not.toContain(text);
  });

  it.each<{ name: string; said?: SecretsSaid<string> }>([
    { name: "the same", said: ALL },
    { name: "nothing" },
    { name: "a part of it", said: { secret: SECRET } },
  ])("is no change when $name is said again", async ({ said }) => {
    const { bell, put } = keeper();
    granted(await put(ALL));
    const before = bell.state.secrets;
    expect(granted(await put(said))).toMatchObject({ outcome: "unchanged", schedule: { revision: 1 } });
    expect(bell.state.secrets).toEqual(before);
  });

  it("is no change when what was shown is sent back", async () => {
    const { put, bell } = keeper();
    granted(await put(ALL));
    const kept = Object.fromEntries(
      bell.state.secrets.map(({ field, fingerprint }) => [field, { fingerprint }]),
    );
    expect(granted(await put(kept)).outcome).toBe("unchanged");
  });

  it("makes a revision when it changes, with the definition as it was and what changed on record", async () => {
    const { bell, put, call } = keeper();
    granted(await put(ALL));
    expect(await put({ secret: NEXT })).toMatchObject({ error: { code: "precondition_required" } });
    const edited = granted(await put({ secret: NEXT }, { ifMatch: 1 }));
    expect(edited).toMatchObject({ outcome: "replaced", schedule: { revision: 2 } });
    const [created, edit] = [...bell.ledger.changes.values()];
    expect(edit).toMatchObject({ action: "edit", revision: 2, who: "ann", note: "secrets: secret" });
    expect(edit!.body.definition).toEqual(created!.body.definition);
    expect(granted(await call())).toMatchObject({
      signing: [NEXT],
      secretHeaders: { authorization: BEARER },
    });
    expect(await put({ secret: SECRET }, { ifMatch: 1 })).toMatchObject({
      error: { code: "precondition_failed" },
    });
  });

  it("signs with both while one is replaced", async () => {
    const { put, call } = keeper();
    granted(await put({ secret: SECRET }));
    granted(await put({ "secret/next": NEXT }, { ifMatch: 1 }));
    expect(granted(await call()).signing).toEqual([SECRET, NEXT]);
    granted(await put({ secret: NEXT, "secret/next": null }, { ifMatch: 2 }));
    expect(granted(await call()).signing).toEqual([NEXT]);
  });

  it("is forgotten with the host it was for, by a delete, and by a change to a queue", async () => {
    for (const forget of [
      ({ put }: ReturnType<typeof keeper>) => put(undefined, { url: "https://b.example.com/", ifMatch: 1 }),
      ({ patch }: ReturnType<typeof keeper>) => patch({ target: { queue: "LIBRARY" } }),
      async ({ bell }: ReturnType<typeof keeper>) => bell.remove(),
    ]) {
      const schedule = keeper();
      granted(await schedule.put(ALL));
      expect(shown(schedule.bell)).toHaveLength(2);
      granted((await forget(schedule)) as { ok: true; value: unknown });
      expect(shown(schedule.bell)).toEqual([]);
      expect(JSON.stringify(schedule.bell.ledger.schedule)).not.toContain("box");
    }
  });

  it("is never sent to the host of an older revision", async () => {
    const { bell, put, ask } = keeper();
    granted(await put({ secret: SECRET }));
    bell.to(bell.now + 60_000);
    const sent = bell.queue.pop()!;
    granted(await put({ secret: NEXT }, { url: "https://b.example.com/", ifMatch: 1 }));
    const { token } = granted(bell.start(sent));
    expect(granted(await ask(sent, { token, revision: 1 }))).toMatchObject({ url: HOOK, signing: [] });
  });

  it("stays when only other fields are patched", async () => {
    const { bell, put, patch } = keeper();
    granted(await put(ALL));
    granted(await patch({ payload: 1 }));
    granted(await patch({ target: { url: `${HOOK}?v=2` } }));
    expect(bell.state).toMatchObject({ revision: 3 });
    expect(shown(bell)).toEqual(["secret", "secretHeaders/authorization"]);
  });
});

describe("who may ask", () => {
  it("holds the lease of a tracked attempt", async () => {
    const { bell, put, ask } = keeper();
    granted(await put(ALL));
    bell.to(bell.now + 60_000);
    const sent = bell.queue.pop()!;
    expect(await ask(sent, { token: null, revision: 1 })).toMatchObject({ error: { code: "lease_lost" } });
    const { token } = granted(bell.start(sent));
    expect(await ask(sent, { token: token + 1, revision: 1 })).toMatchObject({
      error: { code: "lease_lost" },
    });
    expect((await ask(sent, { token, revision: 1 })).ok).toBe(true);
    granted(bell.command("complete", { ...sent, token }));
    expect(await ask(sent, { token, revision: 1 })).toMatchObject({ error: { code: "lease_lost" } });
  });

  it("is nobody for a schedule that has no URL", async () => {
    const { bell, ask } = keeper();
    granted(bell.put({}));
    bell.to(bell.now + 60_000);
    const sent = bell.queue.pop()!;
    const { token } = granted(bell.start(sent));
    expect(await ask(sent, { token, revision: 1 })).toMatchObject({ error: { code: "not_found" } });
  });
});

describe("the key", () => {
  it("must be there before anything secret is taken, and nothing else needs it", async () => {
    const { bell, put } = keeper(new Bell(), {});
    const refused = await put(ALL);
    expect(refused).toMatchObject({
      error: { code: "not_configured", hint: expect.stringContaining("wrangler secret put SECRETS_KEY") },
    });
    expect(bell.state.revision).toBe(0);
    expect((await put()).ok).toBe(true);
    expect((await put({ secret: null, "secret/next": null })).ok).toBe(true);
  });

  it("when lost, fails the call with the reason", async () => {
    const { bell, put } = keeper();
    granted(await put(ALL));
    for (const env of [{}, { SECRETS_KEY: OTHER_KEY }]) {
      expect(await keeper(bell, env).call()).toMatchObject({ error: { code: "not_configured" } });
    }
  });

  it("when replaced, opens what the one before sealed, and seals it anew", async () => {
    const { bell, put } = keeper();
    granted(await put(ALL));
    const boxes = bell.state.secrets.map(({ box }) => box);
    const rotating = keeper(bell, { SECRETS_KEY: OTHER_KEY, SECRETS_KEY_PREVIOUS: KEY });
    expect(granted(await rotating.call())).toMatchObject({ signing: [SECRET] });
    expect(bell.state.secrets.map(({ box }) => box)).not.toContain(boxes[0]);
    expect(bell.state.revision).toBe(1);
    expect(bell.ledger.schedule?.state_body.secrets).toEqual(bell.state.secrets);
    expect(granted(await keeper(bell, { SECRETS_KEY: OTHER_KEY }).call())).toMatchObject({
      signing: [SECRET],
      secretHeaders: { authorization: BEARER },
    });
  });
});

it("an object that lost its memory has them again from the ledger", async () => {
  const { bell, put } = keeper();
  granted(await put(ALL));
  const restored = new Bell(bell.now);
  const row = structuredClone(bell.ledger.schedule!);
  granted(
    restored.command("restore", {
      row,
      highestSlot: 0,
      highestVersion: row.version,
      delayDueAt: null,
      open: [],
    }),
  );
  expect(granted(await keeper(restored).call())).toMatchObject({
    signing: [SECRET],
    secretHeaders: { authorization: BEARER },
  });
});
