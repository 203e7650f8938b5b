/** The SQL that creates the tables for received webhooks and for the runs of pull requests. */
export const PULL_RUNS_SQL = `
  CREATE TABLE onceover.deliveries (
  key         text PRIMARY KEY,
  received_at timestamptz NOT NULL DEFAULT now()
  );
  CREATE INDEX deliveries_received ON onceover.deliveries (received_at);

  CREATE TABLE onceover.pull_runs (
  id         uuid PRIMARY KEY,
  forge      text NOT NULL,
  project    text NOT NULL,
  number     integer NOT NULL,
  head       text NOT NULL,
  job        uuid NOT NULL,
  started_by text NOT NULL,
  state      text NOT NULL DEFAULT 'waiting' CHECK (state IN ('waiting', 'running', 'ended', 'dropped')),
  tries      integer NOT NULL DEFAULT 0,
  verdict    text CHECK (verdict IN ('passed', 'failed', 'error')),
  error      text,
  said       text,
  document   text,
  repository bigint REFERENCES onceover.repositories ON DELETE SET NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  started_at timestamptz,
  ended_at   timestamptz
  );
  CREATE INDEX pull_runs_pull ON onceover.pull_runs (forge, project, number, created_at);
  CREATE INDEX pull_runs_open ON onceover.pull_runs (created_at) WHERE state IN ('waiting', 'running');
  CREATE INDEX pull_runs_created ON onceover.pull_runs (created_at);
  CREATE INDEX pull_runs_ended ON onceover.pull_runs (ended_at);
  CREATE INDEX call_starts_all_ended ON onceover.call_starts (ended_at);
`;
