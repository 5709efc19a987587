-- The ledger: a searchable projection of all schedules and occurrences. One writer per row, the
-- schedule's object; every upsert is guarded by `version`, so rows only move forward.

CREATE TABLE schedules (
  namespace   TEXT NOT NULL,
  name        TEXT NOT NULL,
  version     INTEGER NOT NULL,
  shard       TEXT NOT NULL,             -- which database keeps its occurrences; chosen at creation
  state       TEXT NOT NULL CHECK (state IN ('active', 'paused', 'completed', 'deleted')),
  revision    INTEGER NOT NULL,
  cursor      INTEGER NOT NULL,          -- at the last change, not at the last slot
  created_at  INTEGER NOT NULL,
  updated_at  INTEGER NOT NULL,
  description TEXT,
  tags        TEXT NOT NULL,             -- JSON array
  managed_by  TEXT,
  health      TEXT NOT NULL,             -- the derived status at the last change of it
  definition  TEXT NOT NULL,             -- what the user said, normalised (JSON)
  state_body  TEXT NOT NULL,             -- pause, counters, numbers to continue from (JSON)
  PRIMARY KEY (namespace, name)
) STRICT, WITHOUT ROWID;

-- Every create, edit, pause, resume, completion and delete: who, when, and the definition from then on.
CREATE TABLE changes (
  schedule    TEXT NOT NULL,             -- <namespace>/<name>
  version     INTEGER NOT NULL,
  at          INTEGER NOT NULL,
  action      TEXT NOT NULL,
  revision    INTEGER NOT NULL,
  who         TEXT NOT NULL,
  note        TEXT,
  body        TEXT NOT NULL,             -- JSON: definition of a create or edit, until and catchUp of a pause or resume
  PRIMARY KEY (schedule, version)
) STRICT, WITHOUT ROWID;

-- The unique slot key is the primary key, in the order of time: an insert on the common path costs one row,
-- the same again none, the end of a run one. No secondary index on that path.
CREATE TABLE occurrences (
  slot          INTEGER NOT NULL,
  schedule      TEXT NOT NULL,           -- <namespace>/<name>
  variant       TEXT NOT NULL,           -- '' for the slot itself
  version       INTEGER NOT NULL,
  kind          TEXT NOT NULL,
  revision      INTEGER NOT NULL,
  state         TEXT NOT NULL,
  reason        TEXT,
  effective_at  INTEGER NOT NULL,
  claimed_at    INTEGER,
  dispatched_at INTEGER,
  started_at    INTEGER,
  finished_at   INTEGER,
  attempt       INTEGER NOT NULL,
  token         INTEGER,                 -- the settling token: answers a report repeated long after
  queue         TEXT,
  attention     INTEGER NOT NULL,        -- 1: an operator or a poller looks for it
  computed      INTEGER NOT NULL,        -- 1: the definition names it, so history finds it by key
  due_at        INTEGER,                 -- when something must have happened that cannot be computed
  body          TEXT NOT NULL,           -- local names, attempts, progress, result, error (JSON)
  PRIMARY KEY (slot, schedule, variant)
) STRICT, WITHOUT ROWID;

CREATE INDEX attention ON occurrences (state, slot) WHERE attention = 1;
CREATE INDEX uncomputed ON occurrences (schedule, slot) WHERE computed = 0;

-- Consecutive slots not run for the same reason: from_at and to_at are the first and the last of them.
CREATE TABLE gaps (
  schedule TEXT NOT NULL,
  from_at  INTEGER NOT NULL,
  to_at    INTEGER NOT NULL,
  count    INTEGER NOT NULL,
  reason   TEXT NOT NULL,
  revision INTEGER NOT NULL,
  version  INTEGER NOT NULL,
  PRIMARY KEY (schedule, from_at)
) STRICT, WITHOUT ROWID;

CREATE TABLE sweep_state (
  id         INTEGER PRIMARY KEY CHECK (id = 1),
  position   TEXT NOT NULL,              -- key of the schedule after which the next pass goes on
  passed_at  INTEGER NOT NULL,
  summary    TEXT NOT NULL               -- JSON
) STRICT;
