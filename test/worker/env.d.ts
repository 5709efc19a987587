import type { D1Migration } from "@cloudflare/vitest-plugin";
import type * as Main from "../../src/index.ts";
import type { Env as CarillonEnv } from "../../src/env.ts";

declare global {
  namespace Cloudflare {
    interface GlobalProps {
      mainModule: typeof Main;
    }
    interface Env extends CarillonEnv {
      LIBRARY: Queue;
      EXTERNAL: Queue;
      WEBHOOKS: Queue;
      LEDGER_1: D1Database; // test/shards alone
      LEDGER_2: D1Database;
      LIBRARY_2: Queue;
      MIGRATIONS: D1Migration[];
      CARILLON_RECORD?: string;
      CARILLON_LIVES?: string;
      CARILLON_SEED?: string;
      CARILLON_ROWS?: string;
    }
  }
}
