-- Who may call the API, what was done with tokens, and what was answered to requests that may come twice.
-- In LEDGER only.

CREATE TABLE tokens (
  id           TEXT PRIMARY KEY,
  name         TEXT NOT NULL,
  hash         TEXT NOT NULL,            -- SHA-256 of the secret, which is random and kept nowhere
  scopes       TEXT NOT NULL,            -- JSON array
  namespaces   TEXT NOT NULL,            -- JSON array; ["*"]: all
  queues       TEXT,                     -- JSON array; null: all
  schedules    TEXT,                     -- JSON array; null: all
  created_at   INTEGER NOT NULL,
  created_by   TEXT NOT NULL,
  expires_at   INTEGER,
  last_used_at INTEGER                   -- to the minute
) STRICT, WITHOUT ROWID;

CREATE INDEX tokens_by_time ON tokens (created_at, id);

-- A revoked token is gone; that it was there, and who made and ended it, stays here.
CREATE TABLE token_changes (
  at         INTEGER NOT NULL,
  token      TEXT NOT NULL,
  action     TEXT NOT NULL CHECK (action IN ('create', 'revoke')),
  who        TEXT NOT NULL,
  name       TEXT NOT NULL,
  namespaces TEXT NOT NULL,
  body       TEXT NOT NULL,              -- JSON: scopes, queues, schedules, expiresAt
  PRIMARY KEY (at, token, action)
) STRICT, WITHOUT ROWID;

-- The changes of a namespace's schedules, newest first. Written when somebody changes something, never when a slot fires.
CREATE INDEX changes_by_time ON changes (substr(schedule, 1, instr(schedule, '/') - 1), at, schedule, version);

-- Answers to requests with an Idempotency-Key, sealed with the caller's own token.
CREATE TABLE idempotency (
  key         TEXT PRIMARY KEY,          -- of principal, namespace, method, path and the caller's key
  fingerprint TEXT NOT NULL,             -- of the body
  at          INTEGER NOT NULL,          -- when it was reserved
  status      INTEGER,                   -- null: in progress
  answer      TEXT
) STRICT, WITHOUT ROWID;

CREATE INDEX idempotency_by_age ON idempotency (at);
