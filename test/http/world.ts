/** The API without a platform: an object and a ledger that answer what a test tells them to, and remember what they were asked. */
import { timingSafeEqual } from "node:crypto";
import { configOf } from "../../src/config.ts";
import { fail, ok, type Result } from "../../src/core/errors.ts";
import { presentDefinition } from "../../src/core/present.ts";
import { complete, type DefinitionInput } from "../../src/core/schedule.ts";
import { resolveTrigger } from "../../src/core/trigger.ts";
import { createApp } from "../../src/http/app.ts";
import type { Deps } from "../../src/http/context.ts";
import type { LedgerReads } from "../../src/ledger/reads.ts";
import type { Limiters } from "../../src/http/flood.ts";
import { hashOf, newToken } from "../../src/http/secret.ts";
import type { Answered, Idempotency, Reservation } from "../../src/ledger/idempotency.ts";
import { SCOPES, type Token, type Tokens } from "../../src/ledger/tokens.ts";
import { dashboard } from "../../src/ui/dashboard.ts";
import type {
  Foreseen,
  OccurrenceView,
  PutReply,
  ScheduleStub,
  ScheduleView,
} from "../../src/schedule/stub.ts";

// workerd has it where it belongs, Node has it elsewhere.
crypto.subtle.timingSafeEqual ??= (a, b) =>
  timingSafeEqual(new Uint8Array(a as ArrayBuffer), new Uint8Array(b as ArrayBuffer));

export const NOW = Date.parse("2026-11-30T12:00:00Z");
export const TOKEN = "s3cret-admin-token";
export const DEFINITION = { trigger: { every: "15m" }, target: { queue: "LIBRARY" } };
const QUEUE = { sendBatch: () => Promise.resolve() };
const ENVIRONMENT = {
  ADMIN_TOKEN: TOKEN,
  TARGETS: '{ "LIBRARY": ["*"], "BILLING": ["billing"], "LEDGER": ["*"], "UNBOUND": ["*"] }',
  LIBRARY: QUEUE,
  BILLING: QUEUE,
  INTERNAL: QUEUE,
  WEBHOOKS: QUEUE,
  LEDGER: { prepare: () => null },
};

interface Call {
  on: string;
  name: string;
  args: unknown[];
}

export interface Answer {
  status: number;
  headers: Headers;
  body: Record<string, unknown>;
  text: string;
}

export interface World {
  app: ReturnType<typeof createApp>;
  calls: Call[];
  /** What the test wants the object and the ledger to do instead of what they do by themselves. */
  stub: Partial<ScheduleStub>;
  ledger: Partial<LedgerReads>;
  /** Those that the ledger knows. */
  tokens: Map<string, Token>;
  limiters: Limiters;
  /** What was reported to the log. */
  faults: unknown[];
  send: (method: string, path: string, body?: unknown, headers?: Record<string, string>) => Promise<Answer>;
}

export function world(
  env: Record<string, unknown> = {},
  standing: (namespace: string, name: string) => ScheduleStub = standingStub,
): World {
  const calls: Call[] = [];
  const stub: Partial<ScheduleStub> = {};
  const ledger: Partial<LedgerReads> = {};
  const tokens = new Map<string, Token>();
  const limiters: Limiters = { requests: null, signIns: null };
  const faults: unknown[] = [];
  const deps: Deps = {
    config: configOf({ ...ENVIRONMENT, ...env }),
    schedule: (namespace, name) =>
      recording({ ...standing(namespace, name), ...stub }, `${namespace}/${name}`, calls),
    get ledger() {
      return recording({ ...EMPTY_LEDGER, ...ledger }, "ledger", calls);
    },
    tokens: tokensIn(tokens),
    limiters,
    idempotency: answersIn(new Map()),
    sweep: () => {
      calls.push({ on: "sweep", name: "sweep", args: [] });
      return Promise.resolve({ looked: 7, poked: 3, failed: 1, redispatched: 2, expired: 1, alerts: 1 });
    },
    later: () => {},
    now: () => NOW,
    report: (fault, at) => faults.push({ fault, ...at }),
  };
  const app = createApp(deps, dashboard(deps));

  async function send(method: string, path: string, body?: unknown, headers: Record<string, string> = {}) {
    const content = body === undefined || typeof body === "string" ? body : JSON.stringify(body);
    const response = await app.request(path, {
      method,
      body: content,
      headers: {
        authorization: `Bearer ${TOKEN}`,
        ...(content === undefined ? {} : { "content-type": "application/json" }),
        ...headers,
      },
    });
    const text = await response.text();
    const isJson = /\bjson\b/.test(response.headers.get("content-type") ?? "");
    const parsed = isJson && text !== "" ? (JSON.parse(text) as Record<string, unknown>) : {};
    return { status: response.status, headers: response.headers, body: parsed, text };
  }

  return { app, calls, stub, ledger, tokens, limiters, faults, send };
}

/** Makes a token that may do what is said, and gives the header that presents it. */
export async function present(
  { tokens }: World,
  bounds: Partial<Token> = {},
): Promise<{ authorization: string }> {
  const { id, secret, text } = newToken();
  tokens.set(id, {
    id,
    name: "t",
    hash: await hashOf(secret),
    scopes: [...SCOPES],
    namespaces: ["default"],
    queues: null,
    schedules: null,
    createdAt: NOW,
    createdBy: "admin",
    expiresAt: null,
    lastUsedAt: NOW,
    ...bounds,
  });
  return { authorization: `Bearer ${text}` };
}

/** In the order in which they were made. */
function tokensIn(tokens: Map<string, Token>): Tokens {
  return {
    find: (id) => Promise.resolve(tokens.get(id) ?? null),
    list: ({ limit }) => Promise.resolve([...tokens.values()].toReversed().slice(0, limit + 1)),
    create: async (token) => void tokens.set(token.id, token),
    revoke: ({ id }) => Promise.resolve(tokens.delete(id)),
    touch: (id, at) => Promise.resolve(void Object.assign(tokens.get(id) ?? {}, { lastUsedAt: at })),
  };
}

function answersIn(answers: Map<string, Reservation & Answered>): Idempotency {
  const own = ({ key, at }: Reservation) => {
    const known = answers.get(key);
    return known?.at === at && known.status === null ? known : null;
  };
  return {
    async reserve(of, { lapsedBefore, forgottenBefore }) {
      const known = answers.get(of.key);
      const isLapsed = known?.status === null && known.at < lapsedBefore;
      if (known && known.at >= forgottenBefore && !isLapsed) return known;
      answers.set(of.key, { ...of, status: null, answer: null });
      return null;
    },
    settle: async (of, status, answer) => void Object.assign(own(of) ?? {}, { status, answer }),
    release: async (of) => void (own(of) && answers.delete(of.key)),
  };
}

function recording<T extends object>(of: T, on: string, calls: Call[]): T {
  return new Proxy(of, {
    get(target, name, receiver) {
      const method: unknown = Reflect.get(target, name, receiver);
      if (typeof method !== "function") return method;
      return (...args: unknown[]) => {
        calls.push({ on, name: String(name), args });
        return (method as (...args: unknown[]) => unknown)(...args);
      };
    },
  });
}

/** An object that takes every valid definition, and knows no occurrence. */
function standingStub(namespace: string, name: string): ScheduleStub {
  const nothing = () => Promise.resolve(fail("not_found", "There is no such occurrence."));
  const view = () => Promise.resolve(ok(viewOf(namespace, name)));
  return {
    put: ({ input }) => Promise.resolve(created(namespace, name, input)),
    patch: () => Promise.resolve(ok({ outcome: "replaced", schedule: viewOf(namespace, name) })),
    foresee: ({ input }) => Promise.resolve(foreseen(namespace, name, input)),
    read: view,
    remove: view,
    pause: view,
    resume: view,
    trigger: () => Promise.resolve(ok(occurrenceView(namespace, name))),
    open: () => Promise.resolve(ok([])),
    cancel: nothing,
    backfill: ({ dryRun }) =>
      Promise.resolve(
        ok({
          id: dryRun ? null : "b1",
          dryRun,
          revision: 3,
          count: 1,
          slots: ["2026-11-30T11:45:00Z"],
          leftOut: { succeeded: 0, open: 0 },
          more: false,
        }),
      ),
    cancelBackfill: ({ id }) => Promise.resolve(ok({ id, cancelled: 1, stopping: 0 })),
    replay: () => Promise.resolve(ok(occurrenceView(namespace, name))),
    occurrence: nothing,
    knowledge: nothing,
    live: () => Promise.resolve(ok([])),
    message: nothing,
    call: nothing,
    start: nothing,
    heartbeat: nothing,
    complete: nothing,
    fail: nothing,
    defer: nothing,
    deadLettered: nothing,
    poke: () => Promise.resolve(ok({ waiting: [], redispatched: 0, expired: 0 })),
  };
}

function foreseen(namespace: string, name: string, input: DefinitionInput): Result<Foreseen> {
  const reply = created(namespace, name, input);
  return reply.ok ? ok({ ...reply.value, before: null }) : reply;
}

function created(namespace: string, name: string, input: DefinitionInput): Result<PutReply> {
  const definition = complete({ ...input, trigger: resolveTrigger(input.trigger, NOW) });
  if (!definition.ok) return definition;
  const schedule = { ...viewOf(namespace, name), definition: presentDefinition(definition.value) };
  return ok({ outcome: "created", schedule });
}

export function viewOf(namespace: string, name: string): ScheduleView {
  const definition = complete({ trigger: { every: "PT15M" }, target: { queue: "LIBRARY" } });
  if (!definition.ok) throw new Error(definition.error.message);
  return {
    namespace,
    name,
    revision: 3,
    state: "active",
    definition: presentDefinition(definition.value),
    pause: null,
    health: {
      status: "healthy",
      message: null,
      lastStartedAt: null,
      lastSucceededAt: null,
      lastFailedAt: null,
      lastDurationMs: null,
      lastError: null,
      consecutiveFailures: 0,
      counts: {},
    },
    nextSlot: "2026-11-30T12:15:00Z",
    remaining: null,
    cursor: "2026-11-30T12:00:00Z",
    createdAt: "2026-11-30T10:00:00Z",
    updatedAt: "2026-11-30T10:00:00Z",
    open: {},
    warnings: [],
  };
}

export function occurrenceView(
  namespace: string,
  name: string,
  more: Partial<OccurrenceView> = {},
): OccurrenceView {
  const id = `${name}@2026-11-30T12:00:00Z`;
  return {
    id,
    key: `${namespace}/${id}`,
    namespace,
    schedule: name,
    revision: 3,
    kind: "scheduled",
    scheduledFor: "2026-11-30T12:00:00Z",
    effectiveAt: "2026-11-30T12:00:00Z",
    localTime: "2026-11-30T12:00:00+00:00",
    timezones: ["UTC"],
    locals: [],
    businessDate: "2026-11-30",
    state: "dispatched",
    reason: null,
    claimedAt: "2026-11-30T12:00:00Z",
    dispatchedAt: "2026-11-30T12:00:00Z",
    startedAt: null,
    finishedAt: null,
    attempt: 1,
    attempts: [],
    leaseUntil: null,
    progress: null,
    result: null,
    error: null,
    replayOf: null,
    latenessMs: 0,
    queueWaitMs: null,
    durationMs: null,
    ...more,
  };
}

const EMPTY_LEDGER: LedgerReads = {
  known: (_, names) => Promise.resolve(new Set(names)),
  schedule: () => Promise.resolve(null),
  schedules: () => Promise.resolve([]),
  count: () => Promise.resolve(0),
  history: () => Promise.resolve({ items: [], end: null }),
  occurrences: () => Promise.resolve({ items: [], end: null }),
  occurrence: () => Promise.resolve(null),
  changes: () => Promise.resolve([]),
  audit: () =>
    Promise.resolve({
      expected: 0,
      accounted: 0,
      discrepancies: [],
      prunedBefore: null,
      looked: 0,
      next: null,
    }),
  schedulesAfter: () => Promise.resolve([]),
  evidence: () => Promise.resolve({ occurrences: [], gap: null, earlier: [] }),
  revisions: () => Promise.resolve([]),
  trail: () => Promise.resolve({ items: [], end: null }),
  revision: () => Promise.resolve(null),
  succeeded: () => Promise.resolve([]),
  work: () => Promise.resolve([]),
  lastSweep: () => Promise.resolve(null),
  numbers: () => Promise.resolve({ occurrences: [], gaps: [], schedules: [], alerts: [], isCut: false }),
  alerts: () => Promise.resolve([]),
  hasActiveSince: () => Promise.resolve(false),
  namespaces: () => Promise.resolve([]),
  standing: () => Promise.resolve([]),
  openAlerts: () => Promise.resolve([]),
  dayBehind: () => Promise.resolve({ buckets: [], gaps: [] }),
  rulesAhead: () => Promise.resolve([]),
  unwell: () => Promise.resolve([]),
  inFlight: () => Promise.resolve([]),
  outcomes: () => Promise.resolve(new Map()),
};
