/** Contract §4: the message to a consumer, version 1. Additive changes only; a new `v` for anything else. */
import { occurrenceId, type Kind, type Occurrence, type State } from "./occurrence.ts";
import type { Json } from "./schedule.ts";
import { formatInstant } from "./time.ts";

export interface Message {
  v: 1;
  id: string;
  key: string;
  namespace: string;
  schedule: string;
  revision: number;
  kind: Kind;
  scheduledFor: string;
  localTime: string;
  timezones: string[];
  businessDate: string;
  attempt: number;
  tracked: boolean;
  /** Until when a start is expected before the message is sent again; null where nobody reports. */
  startBy: string | null;
  previous: Previous | null;
  payload: Json;
}

/** How the run before this one ended: its result is the next one's input. */
export interface Previous {
  scheduledFor: string;
  state: State;
  result: Json;
}

export interface MessageContext {
  namespace: string;
  name: string;
  attempt: number;
  startBy: number | null;
  previous: Previous | null;
  payload: Json;
}

export function messageOf(occurrence: Occurrence, context: MessageContext): Message {
  const { namespace, name, attempt, startBy, previous, payload } = context;
  const id = occurrenceId(name, occurrence.slot, occurrence.variant);
  return {
    v: 1,
    id,
    key: `${namespace}/${id}`,
    namespace,
    schedule: name,
    revision: occurrence.revision,
    kind: occurrence.kind,
    scheduledFor: formatInstant(occurrence.slot),
    localTime: occurrence.localTime,
    timezones: occurrence.timezones,
    businessDate: occurrence.businessDate,
    attempt,
    tracked: occurrence.tracked,
    startBy: startBy === null ? null : formatInstant(startBy),
    previous,
    payload,
  };
}
