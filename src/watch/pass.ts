/** Once a minute: sweep, tell, prune. A step that fails leaves the others alone, and the next minute tries again. */
import { BOUNDS } from "../core/limits.ts";
import { causeOf, log } from "../log.ts";
import { prune, type Prune } from "./prune.ts";
import { sweep, type Sweep } from "./sweep.ts";
import { tellAlerts, type Channels } from "./tell.ts";

export interface Watch extends Sweep, Prune {
  channels: Channels;
}

export async function lookAfter(watch: Watch, now: number): Promise<void> {
  const steps = {
    sweep: () => sweepOn(watch, now),
    tell: () => tellAlerts(watch.directory, watch.channels),
    prune: () => prune(watch, now),
  };
  for (const [step, take] of Object.entries(steps)) {
    try {
      await take();
    } catch (error) {
      // /healthz shows how old the last pass is.
      log("watch_failed", { step, cause: causeOf(error) });
    }
  }
}

/** Page after page, as far as a minute may go: the last one is the short one. */
async function sweepOn(watch: Watch, now: number): Promise<void> {
  for (let pass = 0; pass < BOUNDS.PASSES_A_MINUTE; pass++) {
    const { looked } = await sweep(watch, now);
    if (looked < BOUNDS.SWEPT_PER_PASS) return;
  }
}
