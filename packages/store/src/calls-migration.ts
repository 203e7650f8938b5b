/** The SQL that creates the tables for calls to agents on workers. */
export const CALLS_SQL = `
  CREATE TABLE onceover.calls (
  id         uuid PRIMARY KEY,
  repository bigint NOT NULL REFERENCES onceover.repositories ON DELETE CASCADE,
  key        text NOT NULL,
  queue      text NOT NULL,
  job        uuid NOT NULL,
  agent      text NOT NULL,
  priority   integer NOT NULL,
  request    text NOT NULL,
  state      text NOT NULL DEFAULT 'waiting'
             CHECK (state IN ('waiting', 'running', 'answered', 'failed', 'cancelled')),
  doing      text,
  usage      text,
  answer     text,
  created_at timestamptz NOT NULL DEFAULT now(),
  started_at timestamptz,
  ended_at   timestamptz
  );
  CREATE UNIQUE INDEX calls_open ON onceover.calls (repository, key) WHERE state IN ('waiting', 'running');
  CREATE INDEX calls_answered ON onceover.calls (repository, key, ended_at) WHERE state = 'answered';
  CREATE INDEX calls_waiting ON onceover.calls (created_at) WHERE state = 'waiting';
  CREATE INDEX calls_ended ON onceover.calls (ended_at);

  CREATE TABLE onceover.call_waiters (
  call    uuid NOT NULL REFERENCES onceover.calls ON DELETE CASCADE,
  client  uuid NOT NULL,
  seen_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (call, client)
  );

  CREATE TABLE onceover.call_starts (
  id         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  call       uuid NOT NULL,
  agent      text NOT NULL,
  account    text NOT NULL,
  worker     uuid NOT NULL,
  started_at timestamptz NOT NULL DEFAULT now(),
  beat_at    timestamptz NOT NULL DEFAULT now(),
  ended_at   timestamptz,
  outcome    text,
  tokens     bigint,
  usd        double precision
  );
  CREATE INDEX call_starts_open ON onceover.call_starts (account) WHERE ended_at IS NULL;
  CREATE INDEX call_starts_started ON onceover.call_starts (account, started_at);
  CREATE INDEX call_starts_ended ON onceover.call_starts (account, ended_at);

  CREATE TABLE onceover.accounts (
  name              text PRIMARY KEY,
  calls_at_once     integer,
  calls_per_minute  integer,
  tokens_per_minute bigint,
  cooldown_until    timestamptz,
  cooldown_said     text
  );

  CREATE TABLE onceover.workers (
  id         uuid PRIMARY KEY,
  name       text NOT NULL,
  offers     text NOT NULL,
  started_at timestamptz NOT NULL DEFAULT now(),
  seen_at    timestamptz NOT NULL DEFAULT now()
  );

  CREATE TABLE onceover.snapshots (
  repository bigint NOT NULL REFERENCES onceover.repositories ON DELETE CASCADE,
  tree       text NOT NULL,
  base       text NOT NULL,
  chunks     integer NOT NULL,
  bytes      bigint NOT NULL,
  used_at    timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (repository, tree, base)
  );
  CREATE TABLE onceover.snapshot_chunks (
  repository bigint NOT NULL,
  tree       text NOT NULL,
  base       text NOT NULL,
  chunk      integer NOT NULL,
  bytes      bytea NOT NULL,
  PRIMARY KEY (repository, tree, base, chunk),
  FOREIGN KEY (repository, tree, base) REFERENCES onceover.snapshots ON DELETE CASCADE
  );
`;
