/** What whoever meets a problem can do about it, for the document and `/docs`. */
import type { ProblemCode } from "./problem.ts";

export const REMEDIES: Record<ProblemCode, string> = {
  invalid_json: "Send valid UTF-8 JSON, nested at most 64 deep. `detail` says where it broke.",
  unauthorized: "Send the header `Authorization: Bearer <token>` with a token that has not expired.",
  forbidden: "Use a token that has the scope in `scope`.",
  quota_exceeded:
    "See `detail` for the quota of the namespace: remove schedules, ask for less, or have the operator raise it.",
  not_found: "Check the name and the namespace. What a token may not see is not found either.",
  method_not_allowed: "Use one of the methods in the header `Allow`.",
  use_pause_or_resume: "Call `pause` or `resume`: `paused` in a definition only counts on creation.",
  not_paused: "Nothing: it runs.",
  busy: "Wait for the run that holds the seat, or name another `overlap`. A worker acknowledges or retries after `leaseUntil`.",
  settled: "Nothing: acknowledge the message. Replay the occurrence to run it again.",
  superseded: "Acknowledge the message: a later attempt or run has taken over.",
  cancelled: "Acknowledge the message, and do not run.",
  not_due: "Try again when it is due.",
  not_final: "Wait for its end, or cancel it.",
  lease_lost: "Stop. Another attempt may be running, and nothing that this one reports counts any more.",
  precondition_failed: "Read it again, and send its `ETag` as `If-Match`.",
  idempotency_in_progress:
    "Wait for as long as `Retry-After` says, and send the same again: the answer will be the first one's.",
  idempotency_key_reused: "A new request needs a new key; the same request needs the same body.",
  rate_limited:
    "Wait for as long as `Retry-After` says. Where it is right to ask as often, the operator can raise the limit.",
  body_too_large: "Keep large data elsewhere, and name it in the payload.",
  unknown_field: "See `hint` for what was probably meant. Nothing unknown is ignored.",
  invalid_field: "See `pointer` or `parameter` for the place, and `detail` for what is expected.",
  invalid_trigger: "See `pointer`, `hint` and `suggestion`.",
  never_fires:
    "See `reason`: no instant from 1970 to 2199 is left. Change the trigger, the exclusions or the bounds.",
  too_sparse: "See `hint`: what is left may exist, and cannot be found in bounded time.",
  too_expensive:
    "Use fewer triggers, time zones and exclusions, or coarser ones; ask for fewer slots or a shorter time.",
  invalid_duration:
    "Write `15m`, `1h30m` or `PT15M`, within the bounds in `detail`. Months and years have no fixed length.",
  invalid_instant: "Write RFC 3339 with an offset, such as `2026-11-30T14:00:00Z`.",
  unknown_queue: "Name one of `allowed`, or list the binding in the variable `TARGETS` and deploy.",
  ambiguous_time: "Ask for one of the `candidates`.",
  limit_exceeded: "See `detail` for the limit, and the table of limits.",
  precondition_required: "Send the `ETag` that you read as `If-Match`, so that nobody's change is lost.",
  internal:
    "Report it: it has been logged. The request may or may not have been carried out; read before repeating.",
  not_configured: "The operator finds the reason in `detail`.",
  ledger_unavailable: "Try again after `Retry-After`. Schedules fire meanwhile.",
  overloaded: "Try again after `Retry-After`.",
};
