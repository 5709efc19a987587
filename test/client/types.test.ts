/** The client's types are written by hand; the server's schemas say whether they are still true. */
import { expectTypeOf, it } from "vitest";
import type * as v from "valibot";
import type * as Client from "../../src/client/index.ts";
import type { definitionBody, namedDefinition, patchBody } from "../../src/http/definition.ts";
import type * as past from "../../src/http/past-views.ts";
import type * as views from "../../src/http/views.ts";

/** What a schema reads before it is parsed: durations and instants are still text. */
type Written<S extends v.GenericSchema> = { [K in keyof v.InferInput<S>]: unknown };

it("names every field that a definition may have, and no other", () => {
  expectTypeOf<keyof Client.Definition>().toEqualTypeOf<keyof Written<typeof definitionBody>>();
  expectTypeOf<keyof Client.NamedDefinition>().toEqualTypeOf<keyof Written<typeof namedDefinition>>();
  expectTypeOf<keyof Client.DefinitionPatch | "paused">().toEqualTypeOf<keyof Written<typeof patchBody>>();
});

it("names every field of an answer, and no other", () => {
  expectTypeOf<keyof Client.Schedule>().toEqualTypeOf<keyof v.InferInput<typeof views.schedule>>();
  expectTypeOf<keyof Client.ListedSchedule>().toEqualTypeOf<keyof v.InferInput<typeof views.listed>>();
  expectTypeOf<Client.Occurrence>().toEqualTypeOf<v.InferOutput<typeof views.occurrence>>();
  expectTypeOf<keyof Client.Gap>().toEqualTypeOf<keyof v.InferOutput<typeof views.gap>>();
  expectTypeOf<Client.Message>().toEqualTypeOf<v.InferOutput<typeof views.message>>();
  expectTypeOf<Client.Grant>().toEqualTypeOf<v.InferOutput<typeof views.startGrant>>();
  expectTypeOf<Client.Renewal>().toEqualTypeOf<v.InferOutput<typeof views.heartbeatGrant>>();
  expectTypeOf<Client.Preview>().toEqualTypeOf<v.InferOutput<typeof views.preview>>();
  expectTypeOf<keyof Client.Explanation>().toEqualTypeOf<keyof v.InferOutput<typeof past.explanation>>();
  expectTypeOf<keyof Client.Audit | "nextCursor">().toEqualTypeOf<keyof v.InferOutput<typeof past.audit>>();
  expectTypeOf<Client.Backfill>().toEqualTypeOf<v.InferOutput<typeof past.backfill>>();
  expectTypeOf<Client.BackfillEnd>().toEqualTypeOf<v.InferOutput<typeof past.backfillEnd>>();
  expectTypeOf<Client.Replayed>().toEqualTypeOf<v.InferOutput<typeof past.replayed>>();
  expectTypeOf<keyof Client.Revision>().toEqualTypeOf<keyof v.InferInput<typeof past.revision>>();
  expectTypeOf<keyof Client.Simulation>().toEqualTypeOf<keyof v.InferOutput<typeof past.simulation>>();
});
