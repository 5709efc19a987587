/**
 * What is used of the peers, and no more: they are installed by the bench alone, and types have to be checked
 * where they are not.
 */
declare module "agents" {
  import type { DurableObject } from "cloudflare:workers";
  export class Agent<Env> extends DurableObject<Env> {
    readonly name: string;
    schedule(when: string, callback: string, payload: unknown): Promise<unknown>;
    override alarm(): Promise<void>;
  }
  export function getAgentByName<T extends Rpc.DurableObjectBranded>(
    namespace: DurableObjectNamespace<T>,
    name: string,
  ): Promise<DurableObjectStub<T>>;
}

declare module "@cloudflare/actors" {
  import type { DurableObject } from "cloudflare:workers";
  export class Actor<Env> extends DurableObject<Env> {
    readonly name: string;
    readonly alarms: { schedule(when: string, callback: string, payload: unknown): Promise<unknown> };
    setName(name: string): Promise<void>;
  }
}

declare module "bullmq" {
  interface Connection {
    connection: { host: string; port: number; maxRetriesPerRequest?: null };
  }
  interface Job {
    id?: string;
    data: { name: string };
    opts: { prevMillis?: number };
  }
  export class Queue {
    constructor(name: string, options: Connection);
    upsertJobScheduler(
      id: string,
      repeat: { pattern: string; tz?: string },
      template: { name: string; data: object; opts?: object },
    ): Promise<unknown>;
  }
  export class Worker {
    constructor(
      name: string,
      handler: (job: Job) => Promise<unknown>,
      options: Connection & { concurrency: number },
    );
    on(event: "completed", listener: (job: Job) => void): void;
    on(event: "error", listener: (error: Error) => void): void;
    waitUntilReady(): Promise<unknown>;
  }
}

declare module "pg-boss" {
  export class PgBoss {
    constructor(options: object);
    on(event: "error", listener: (error: Error) => void): void;
    start(): Promise<unknown>;
    createQueue(name: string): Promise<void>;
    send(name: string, data: object, options: { startAfter: Date }): Promise<string | null>;
    insert(name: string, jobs: object[]): Promise<unknown>;
    work(
      name: string,
      options: object,
      handler: (jobs: { id: string; data: unknown }[]) => Promise<unknown>,
    ): Promise<string>;
    getDb(): { executeSql(sql: string, values?: unknown[]): Promise<{ rows: Record<string, unknown>[] }> };
  }
}

declare module "graphile-worker" {
  interface Job {
    id: string;
    payload: unknown;
  }
  interface Helpers {
    job: Job;
    addJob(task: string, payload: object, spec: { runAt: Date }): Promise<unknown>;
  }
  export interface Runner {
    events: { on(event: "job:complete", listener: (told: { job: Job }) => void): void };
    addJob(task: string, payload: object, spec: { runAt: Date }): Promise<unknown>;
  }
  export function run(options: {
    preset?: object;
    connectionString: string;
    taskList: { [task: string]: (payload: unknown, helpers: Helpers) => Promise<void> };
    concurrency: number;
    pollInterval: number;
    noHandleSignals: boolean;
    logger: object;
  }): Promise<Runner>;
  export const Logger: new (factory: () => () => void) => object;
}
