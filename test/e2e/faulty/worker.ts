/** Fault targets by name: what the payload says is what happens. */
import { consume, NonRetryable, type Runs } from "carillon/consumer";

interface Env {
  RUNS: Runs;
}

type Deed = "ok" | "throw" | "give_up" | "more" | "flaky" | "slow";

const SLOW_MS = 500; // the local queue hands out one batch at a time: a slow one holds all up

export default {
  queue: consume<Env>(async (run) => {
    const { deed } = run.payload as { deed: Deed };
    switch (deed) {
      case "ok":
        return { result: { attempt: run.attempt } };
      case "flaky":
        if (run.attempt === 1) throw new Error("the first attempt was told to throw");
        return { result: { attempt: run.attempt } };
      case "slow":
        await new Promise((resolve) => setTimeout(resolve, SLOW_MS));
        return { result: { attempt: run.attempt } };
      case "throw":
        throw new Error(`attempt ${run.attempt} was told to throw`);
      case "give_up":
        throw new NonRetryable("told to give up");
      case "more":
        return { result: { id: run.id }, workRemaining: !run.id.endsWith("~c2") };
    }
  }),
};
