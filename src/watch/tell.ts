/**
 * Alerts reach people by the optional ALERTS queue and by a signed webhook. The ledger keeps how many of an alert's
 * two turns (raised, resolved) each of them has taken: what fails is told by the next pass, under the same id.
 */
import type { AlertWebhook } from "../config.ts";
import { BOUNDS } from "../core/limits.ts";
import { formatInstant } from "../core/time.ts";
import { sign } from "../delivery/signature.ts";
import { splitKey } from "../ledger/row.ts";
import { saveTold, untoldAlerts, type Untold } from "../ledger/alerts.ts";
import { causeOf, log } from "../log.ts";

export interface AlertMessage {
  /** The same for each repeat of the same turn. */
  id: string;
  type: "alert.raised" | "alert.resolved";
  timestamp: string;
  data: {
    namespace: string;
    schedule: string;
    kind: string;
    message: string;
    occurrence: string | null;
    raisedAt: string;
    resolvedAt: string | null;
  };
}

/** Throws where it was not taken. */
export type Channel = (message: AlertMessage) => Promise<void>;

export interface Channels {
  queue: Channel | null;
  webhook: Channel | null;
}

const TELLING_AT_A_TIME = 8;
const WEBHOOK_MS_MAX = 10_000;

export function queueChannel(queue: Pick<Queue, "send">): Channel {
  return async (message) => {
    await queue.send(message, { contentType: "json" });
  };
}

/** Signed afresh each time: receivers refuse old timestamps. No redirect is followed with what was signed. */
export function webhookChannel({ url, secret }: AlertWebhook, now: () => number): Channel {
  return async ({ id, ...message }) => {
    const body = JSON.stringify(message);
    const response = await fetch(url, {
      method: "POST",
      headers: { "content-type": "application/json", ...(await sign([secret], { id, at: now(), body })) },
      body,
      redirect: "manual",
      signal: AbortSignal.timeout(WEBHOOK_MS_MAX),
    });
    await response.body?.cancel();
    if (!response.ok) throw new Error(`the webhook answered ${response.status}`);
  };
}

export async function tellAlerts(
  directory: Parameters<typeof untoldAlerts>[0],
  channels: Channels,
): Promise<number> {
  const untold = await untoldAlerts(directory, BOUNDS.TOLD_PER_PASS);
  const told: Untold[] = [];
  for (let i = 0; i < untold.length; i += TELLING_AT_A_TIME) {
    const some = untold.slice(i, i + TELLING_AT_A_TIME).map(async (alert) => {
      const [queued, posted] = await Promise.all([
        tell(alert, alert.queued, channels.queue),
        tell(alert, alert.posted, channels.webhook),
      ]);
      return { ...alert, queued, posted };
    });
    told.push(...(await Promise.all(some)));
  }
  const news = told.filter(
    (alert, i) => alert.queued > untold[i]!.queued || alert.posted > untold[i]!.posted,
  );
  await saveTold(directory, news);
  return news.length;
}

/** How many turns the channel has taken now. One that is not there takes all: later it is not told of the past. */
async function tell(alert: Untold, taken: number, channel: Channel | null): Promise<number> {
  const turns = turnsOf(alert);
  if (!channel) return turns.length;
  for (const message of turns.slice(taken)) {
    try {
      await channel(message);
      taken++;
    } catch (error) {
      log("alert_untold", { id: message.id, cause: causeOf(error) });
      break;
    }
  }
  return taken;
}

function turnsOf(alert: Untold): AlertMessage[] {
  const raised = messageOf({ ...alert, resolvedAt: null }, "alert.raised");
  return alert.resolvedAt === null ? [raised] : [raised, messageOf(alert, "alert.resolved")];
}

/** A turn's message is the same whenever it is told. */
function messageOf(alert: Untold, type: AlertMessage["type"]): AlertMessage {
  const { schedule, kind, raisedAt, resolvedAt, message, occurrence } = alert;
  const { namespace, name } = splitKey(schedule);
  return {
    id: `${schedule}/${kind}@${formatInstant(raisedAt)}/${type}`,
    type,
    timestamp: formatInstant(resolvedAt ?? raisedAt),
    data: {
      namespace,
      schedule: name,
      kind,
      message,
      occurrence,
      raisedAt: formatInstant(raisedAt),
      resolvedAt: resolvedAt === null ? null : formatInstant(resolvedAt),
    },
  };
}
