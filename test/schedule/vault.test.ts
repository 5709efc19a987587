import { describe, expect, it } from "vitest";
import { Vault, type Place } from "../../src/schedule/vault.ts";

const key = () => crypto.getRandomValues(new Uint8Array(32));
const PLACE: Place = { schedule: "default/nightly", origin: "https://example.com", field: "secret" };
const TEXT = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";

describe("the vault", () => {
  it("opens what it sealed, and never seals the same way twice", async () => {
    const vault = new Vault([key()]);
    const [one, two] = [await vault.seal(PLACE, TEXT), await vault.seal(PLACE, TEXT)];
    expect(await vault.open(PLACE, one)).toEqual({ text: TEXT, isOld: false });
    expect(one.box).not.toBe(two.box);
    expect(one.fingerprint).toBe(two.fingerprint);
    expect(JSON.stringify([one, two])).not.toContain(TEXT.slice(6));
    expect((await vault.seal(PLACE, `${TEXT}=`)).fingerprint).not.toBe(one.fingerprint);
  });

  it.each([
    { schedule: "other/nightly" },
    { origin: "https://evil.example.com" },
    { field: "secretHeaders/authorization" },
  ])("opens nothing that was copied to %j", async (elsewhere) => {
    const vault = new Vault([key()]);
    const sealed = await vault.seal(PLACE, TEXT);
    expect(await vault.open({ ...PLACE, ...elsewhere }, sealed)).toBeNull();
    expect((await vault.seal({ ...PLACE, ...elsewhere }, TEXT)).fingerprint).not.toBe(sealed.fingerprint);
  });

  it("opens nothing that was tampered with, or is no box", async () => {
    const vault = new Vault([key()]);
    const sealed = await vault.seal(PLACE, TEXT);
    const bent = `${sealed.box.slice(0, 30)}${sealed.box[30] === "A" ? "B" : "A"}${sealed.box.slice(31)}`;
    for (const box of [bent, "", "%", "AAAA"]) expect(await vault.open(PLACE, { ...sealed, box })).toBeNull();
  });

  it("goes on under a new key while it knows the old one", async () => {
    const [before, after] = [key(), key()];
    const sealed = await new Vault([before]).seal(PLACE, TEXT);
    const both = new Vault([after, before]);
    expect(await both.open(PLACE, sealed)).toEqual({ text: TEXT, isOld: true });
    const anew = await both.seal(PLACE, TEXT);
    expect(await new Vault([after]).open(PLACE, anew)).toEqual({ text: TEXT, isOld: false });
    expect(await new Vault([after]).open(PLACE, sealed)).toBeNull();
  });
});
