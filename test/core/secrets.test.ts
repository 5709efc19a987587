/** What becomes of a target's secrets when it is edited, and how they show. */
import { describe, expect, it } from "vitest";
import { secretsAfter, showSecrets, type Sealed } from "../../src/core/secrets.ts";
import { headerFault, type SecretsSaid, type Target } from "../../src/core/target.ts";

const box = (field: string, fingerprint = "f1", content = `${field} ${fingerprint}`): Sealed => ({
  field,
  fingerprint,
  box: content,
});
const A: Target = { url: "https://a.example.com/hook" };
const KEPT = [box("secret"), box("secretHeaders/authorization")];

interface Edit {
  name: string;
  to?: Target;
  said: SecretsSaid<Sealed>;
  leaves: string[];
}

describe("an edit", () => {
  it.each<Edit>([
    {
      name: "that says nothing keeps all",
      said: {},
      leaves: ["secret f1", "secretHeaders/authorization f1"],
    },
    {
      name: "of path, query and method keeps all",
      to: { url: "https://A.example.com:443/other?x=1", method: "PUT" },
      said: {},
      leaves: ["secret f1", "secretHeaders/authorization f1"],
    },
    { name: "to another host clears all", to: { url: "https://b.example.com/hook" }, said: {}, leaves: [] },
    {
      name: "to another port clears all",
      to: { url: "https://a.example.com:8443/hook" },
      said: {},
      leaves: [],
    },
    { name: "to a queue clears all", to: { queue: "LIBRARY" }, said: {}, leaves: [] },
    {
      name: "to another host takes what is given for it",
      to: { url: "https://b.example.com/" },
      said: { secret: box("secret", "f2") },
      leaves: ["secret f2"],
    },
    {
      name: "that says null takes one away",
      said: { secret: null },
      leaves: ["secretHeaders/authorization f1"],
    },
    {
      name: "that names a next secret keeps the current one",
      said: { "secret/next": box("secret/next", "f2") },
      leaves: ["secret f1", "secret/next f2", "secretHeaders/authorization f1"],
    },
    {
      name: "that sends back what was shown keeps it",
      said: { secret: { fingerprint: "f1" }, "secret/next": null },
      leaves: ["secret f1", "secretHeaders/authorization f1"],
    },
    {
      name: "that gives the same text again keeps the box it has",
      said: { secret: box("secret", "f1", "another nonce") },
      leaves: ["secret f1", "secretHeaders/authorization f1"],
    },
  ])("$name", ({ to = A, said, leaves }) => {
    const after = secretsAfter({ target: A, secrets: KEPT }, to, said);
    expect(after.ok && after.value.map((sealed) => sealed.box)).toEqual(leaves);
  });

  it.each<Omit<Edit, "leaves"> & { pointer: string }>([
    {
      name: "a fingerprint that is another's",
      said: { secret: { fingerprint: "f9" } },
      pointer: "/target/secret",
    },
    {
      name: "what was shown, for another host",
      to: { url: "https://b.example.com/" },
      said: { "secretHeaders/authorization": { fingerprint: "f1" } },
      pointer: "/target/secretHeaders/authorization",
    },
    {
      name: "a next secret without a current one",
      said: { secret: null, "secret/next": box("secret/next") },
      pointer: "/target/secret/next",
    },
    {
      name: "an open header under a secret one's name",
      to: { ...A, headers: { authorization: "x" } },
      said: {},
      pointer: "/target/secretHeaders/authorization",
    },
    {
      name: "too many headers",
      said: Object.fromEntries(
        Array.from({ length: 40 }, (_, n) => [`secretHeaders/x-${n}`, box(`secretHeaders/x-${n}`)]),
      ),
      pointer: "/target/secretHeaders",
    },
  ])("refuses $name", ({ to = A, said, pointer }) => {
    const after = secretsAfter({ target: A, secrets: KEPT }, to, said);
    expect(after).toMatchObject({ ok: false, error: { pointer } });
  });
});

it("shows that a secret is set, and its fingerprint", () => {
  const shown = { set: true, fingerprint: "f1" };
  expect(showSecrets([])).toEqual({ secret: null, secretHeaders: {} });
  expect(showSecrets(KEPT)).toEqual({ secret: shown, secretHeaders: { authorization: shown } });
  expect(showSecrets([box("secret"), box("secret/next", "f2")])).toEqual({
    secret: { current: shown, next: { set: true, fingerprint: "f2" } },
    secretHeaders: {},
  });
});

describe("a header", () => {
  it.each([
    ["x-tenant", "acme"],
    ["Authorization", "Bearer a.b-c"],
    ["content-type", "application/vnd.acme+json"],
    ["x.y~z", "a\tb c"],
  ])("%s: %j is sent", (name, value) => expect(headerFault(name, value)).toBeNull());

  it.each([
    ["x-a", "b\r\nx-evil: 1"],
    ["x-a", "b\nx-evil: 1"],
    ["x-a", "b\rc"],
    ["x-a", "b\0c"],
    ["x-a", "b\x7f"],
    ["x-a", " b"],
    ["x-a", "b "],
    ["x-a", ""],
    ["x-a", "größe"],
    ["x-a", "b\u2028c"],
    ["x-a\r\nx-evil", "1"],
    ["x a", "1"],
    ["x:a", "1"],
    ["", "1"],
    ["größe", "1"],
    ["x".repeat(200), "1"],
    ["Host", "evil.example.com"],
    ["content-length", "0"],
    ["Transfer-Encoding", "chunked"],
    ["connection", "close"],
    ["upgrade", "h2c"],
    ["te", "trailers"],
    ["expect", "100-continue"],
    ["proxy-authorization", "Basic x"],
    ["webhook-id", "forged"],
    ["Webhook-Signature", "v1,forged"],
    ["carillon-token", "7"],
    ["cf-connecting-ip", "10.0.0.1"],
  ])("%j: %j is not", (name, value) => expect(headerFault(name, value)).toEqual(expect.any(String)));
});
