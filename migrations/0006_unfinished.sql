-- A schedule that is completed or deleted is looked after until the last of its runs has ended.
ALTER TABLE schedules ADD COLUMN unfinished INTEGER NOT NULL DEFAULT 0;

DROP INDEX watched;
CREATE INDEX watched ON schedules (namespace, name) WHERE state IN ('active', 'paused') OR unfinished = 1;
