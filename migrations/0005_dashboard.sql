-- What the dashboard shows first: schedules that are late, failing or stalled, however many others there are.
CREATE INDEX unwell ON schedules (namespace, updated_at) WHERE state = 'active' AND health IN ('late', 'failing', 'stalled');
