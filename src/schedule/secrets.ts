/**
 * Between the door and the engine: what a target says in secret is sealed before the machine sees any of it, and
 * opened again for whoever makes the call. In an object, secrets are readable here and nowhere else.
 */
import { configOf } from "../config.ts";
import { fail, ok, type Result } from "../core/errors.ts";
import { headerOf, NEXT_SECRET, SECRET, type Sealed } from "../core/secrets.ts";
import { originOf, type SecretsSaid, type Target, type TargetSaid } from "../core/target.ts";
import type { Env } from "../env.ts";
import type { Engine } from "./engine.ts";
import { foresee } from "./foresee.ts";
import { readTarget, type TargetRead } from "./machine.ts";
import type { Address, CallQuery, CallView, Foreseeable, PatchCommand, PutCommand } from "./stub.ts";
import { Vault } from "./vault.ts";

type Texts = Map<string, string>;

export class Secrets {
  readonly #engine: Engine;
  readonly #env: Env;
  readonly #schedule: string;
  #vault: Vault | null = null;

  constructor(engine: Engine, env: Env, schedule: string) {
    this.#engine = engine;
    this.#env = env;
    this.#schedule = schedule;
  }

  async put(command: PutCommand) {
    const sealed = await this.#seal(command.input.target);
    if (!sealed.ok) return sealed;
    const { target, secrets } = sealed.value;
    return this.#engine.run("put", { ...command, input: { ...command.input, target }, secrets });
  }

  async foresee(command: Foreseeable) {
    const sealed = await this.#seal(command.input.target);
    if (!sealed.ok) return sealed;
    const { target, secrets } = sealed.value;
    const asked = { ...command, input: { ...command.input, target }, secrets };
    return this.#engine.imagine((world, now) => foresee(world, asked, now));
  }

  async patch(command: PatchCommand) {
    const { target: said, ...patch } = command.patch;
    if (!said) return this.#engine.run("patch", { ...command, patch });
    const sealed = await this.#seal(said);
    if (!sealed.ok) return sealed;
    const { target, secrets } = sealed.value;
    return this.#engine.run("patch", { ...command, patch: { ...patch, target }, secrets });
  }

  async call(address: Address, query: CallQuery): Promise<Result<CallView>> {
    const read = await this.#engine.ask((world) => readTarget(world, { ...address, ...query }));
    if (!read.ok) return read;
    const texts = await this.#open(read.value);
    return texts.ok ? ok(callOf(read.value, texts.value)) : texts;
  }

  async #seal(said: TargetSaid): Promise<Result<{ target: Target; secrets: SecretsSaid<Sealed> }>> {
    if ("queue" in said) return ok({ target: said, secrets: {} });
    const { secrets = {}, ...target } = said;
    const sealed: SecretsSaid<Sealed> = {};
    for (const [field, it] of Object.entries(secrets)) {
      if (typeof it !== "string") sealed[field] = it;
      else {
        const vault = this.#unlock();
        if (!vault) return noKey();
        sealed[field] = await vault.seal(this.#place(target, field), it);
      }
    }
    return ok({ target, secrets: sealed });
  }

  /** What was sealed under the key before is sealed anew, so that one day nothing needs that key any more. */
  async #open({ target, secrets }: TargetRead): Promise<Result<Texts>> {
    const texts: Texts = new Map();
    const anew: { old: Sealed; sealed: Sealed }[] = [];
    for (const old of secrets) {
      const vault = this.#unlock();
      if (!vault) return noKey();
      const place = this.#place(target, old.field);
      const opened = await vault.open(place, old);
      if (!opened) return fail("not_configured", `SECRETS_KEY is not the key that sealed ${old.field}.`);
      texts.set(old.field, opened.text);
      if (opened.isOld) anew.push({ old, sealed: await vault.seal(place, opened.text) });
    }
    if (anew.length > 0) await this.#engine.run("reseal", anew, true);
    return ok(texts);
  }

  #unlock(): Vault | null {
    const { secretsKeys } = configOf(this.#env);
    if (secretsKeys.length === 0) return null;
    return (this.#vault ??= new Vault(secretsKeys));
  }

  #place(target: Target, field: string) {
    return { schedule: this.#schedule, origin: originOf(target) ?? "", field };
  }
}

function noKey() {
  return fail("not_configured", "No SECRETS_KEY is set, so no secret can be kept.", {
    hint: "openssl rand -base64 32 | npx wrangler secret put SECRETS_KEY",
  });
}

function callOf({ target }: TargetRead, texts: Texts): CallView {
  const hidden = [...texts].flatMap(([field, text]) => {
    const name = headerOf(field);
    return name === null ? [] : [[name, text] as const];
  });
  const signing = [SECRET, NEXT_SECRET].flatMap((field) => texts.get(field) ?? []);
  return { ...target, secretHeaders: Object.fromEntries(hidden), signing };
}
