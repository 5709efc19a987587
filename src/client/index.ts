/** `carillon/client`: the HTTP API, typed. It needs `fetch` and nothing else: Workers, Node, browsers. */
export type * from "./answers.ts";
export { type ApplyOrder, Carillon, type PreviewOrder, type SimulationOrder } from "./carillon.ts";
export type * from "./definition.ts";
export { CarillonError, type Problem } from "./error.ts";
export type { OccurrenceFilter, Occurrences, ReplayFilter } from "./occurrences.ts";
export { type Page, Pages } from "./pages.ts";
export type { Once } from "./resource.ts";
export type { Range, ScheduleFilter, Schedules } from "./schedules.ts";
export type { Scope, TokenOrder, Tokens } from "./tokens.ts";
export type { CallOptions, Options } from "./transport.ts";
