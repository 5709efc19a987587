-- What a lending library keeps, and the three results of its jobs.

CREATE TABLE branches (
  id       TEXT PRIMARY KEY,
  city     TEXT NOT NULL,
  timezone TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE loans (
  id          INTEGER PRIMARY KEY,
  branch      TEXT NOT NULL REFERENCES branches (id),
  member      TEXT NOT NULL,
  title       TEXT NOT NULL,
  lent_on     TEXT NOT NULL,              -- local dates of the branch
  due_on      TEXT NOT NULL,
  returned_on TEXT
) STRICT;

CREATE INDEX loans_out ON loans (branch, due_on) WHERE returned_on IS NULL;

-- One per loan and date: a run that comes twice sends nothing twice.
CREATE TABLE notices (
  loan      INTEGER NOT NULL REFERENCES loans (id),
  date      TEXT NOT NULL,
  branch    TEXT NOT NULL,
  member    TEXT NOT NULL,
  title     TEXT NOT NULL,
  days_late INTEGER NOT NULL,
  sent_by   TEXT NOT NULL,                -- key of the occurrence
  PRIMARY KEY (date, loan)
) STRICT, WITHOUT ROWID;

-- Only the latest counts: a row moves forward in time, whatever order the runs come in.
CREATE TABLE summaries (
  branch       TEXT PRIMARY KEY REFERENCES branches (id),
  as_of        TEXT NOT NULL,
  on_loan      INTEGER NOT NULL,
  overdue      INTEGER NOT NULL,
  borrowers    INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- One per business date, never rewritten.
CREATE TABLE reports (
  business_date TEXT PRIMARY KEY,
  made_by       TEXT NOT NULL,            -- key of the occurrence
  body          TEXT NOT NULL             -- JSON: per branch, what was lent, returned, overdue in that month
) STRICT, WITHOUT ROWID;
