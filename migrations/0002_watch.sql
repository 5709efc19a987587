-- What looks after the ledger: alerts, and how far old rows have been pruned.

-- A condition that held once: raised once, resolved once. At most one of a kind is open for a schedule.
CREATE TABLE alerts (
  schedule    TEXT NOT NULL,             -- <namespace>/<name>
  kind        TEXT NOT NULL,
  raised_at   INTEGER NOT NULL,
  resolved_at INTEGER,
  message     TEXT NOT NULL,
  occurrence  TEXT,                      -- id of the one that it speaks of
  queued      INTEGER NOT NULL DEFAULT 0, -- told to the ALERTS queue: 1 that it was raised, 2 that it was resolved
  posted      INTEGER NOT NULL DEFAULT 0, -- and to the webhook
  PRIMARY KEY (raised_at, schedule, kind)
) STRICT, WITHOUT ROWID;

CREATE UNIQUE INDEX alerts_open ON alerts (schedule, kind) WHERE resolved_at IS NULL;
CREATE INDEX alerts_untold ON alerts (raised_at) WHERE queued < 2 OR posted < 2;

-- The sweep's pages, without the completed and the deleted, of which there may be many.
CREATE INDEX watched ON schedules (namespace, name) WHERE state IN ('active', 'paused');

-- Gap rows of all schedules, newest first.
CREATE INDEX gaps_by_time ON gaps (to_at, schedule);

-- Of a schedule, rows before this may be gone: written when the first of them goes. Beside the rows, in their database.
CREATE TABLE pruned (
  schedule TEXT PRIMARY KEY,
  before   INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Where pruning goes on: through this database's occurrences in the order of time, and through the directory.
CREATE TABLE prune_state (
  id       INTEGER PRIMARY KEY CHECK (id = 1),
  slot     INTEGER NOT NULL,
  schedule TEXT NOT NULL,
  variant  TEXT NOT NULL,
  position TEXT NOT NULL
) STRICT;
