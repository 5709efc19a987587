/**
 * What CI asks is the same every time, so that a failure there is the change's and not the dice's. To look for what
 * nobody has asked yet: CARILLON_RANDOM=1 (a failure prints its seed), and the long modes of the single tests.
 */
import * as fc from "fast-check";

const isRandom = typeof process !== "undefined" && process.env["CARILLON_RANDOM"] !== undefined;
export const SEED = isRandom ? Date.now() % 1_000_000 : 20_261_130;
if (!isRandom) fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: SEED });
