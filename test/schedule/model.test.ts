/**
 * The model test: random lives of one schedule, with every fault that the platform knows. CARILLON_MODEL_RUNS=20000
 * is the long mode; a failure prints its seed, and CARILLON_MODEL_SEED with CARILLON_MODEL_PATH runs it again.
 */
import * as fc from "fast-check";
import { expect, it } from "vitest";
import { action, definition } from "./actions.ts";
import { Model } from "./model.ts";

const RUNS = Number(process.env.CARILLON_MODEL_RUNS ?? 1_000);
const SEED = process.env.CARILLON_MODEL_SEED;
const PATH = process.env.CARILLON_MODEL_PATH;
const COMMANDS = 140;
const ACCOUNTS_EVERY = 20;

it(`holds I1–I9 over ${RUNS} lives of a schedule`, { timeout: 60_000 + RUNS * 200 }, () => {
  let commands = 0;
  const life = fc.property(
    definition,
    fc.array(action, { minLength: COMMANDS / 2, maxLength: COMMANDS, size: "max" }),
    (input, actions) => {
      const model = new Model();
      model.run({ what: { do: "put", input }, crash: null });
      actions.forEach((one, n) => {
        model.run(one);
        if (n % ACCOUNTS_EVERY === 0) model.settle();
      });
      model.settle();
      model.finish();
      commands += actions.length + 1;
    },
  );
  fc.assert(life, {
    numRuns: RUNS,
    ...(SEED === undefined ? {} : { seed: Number(SEED) }),
    ...(PATH === undefined ? {} : { path: PATH }),
  });
  expect(commands).toBeGreaterThan(RUNS * (COMMANDS / 2));
  console.log(`model test: ${commands} commands in ${RUNS} lives`);
});
