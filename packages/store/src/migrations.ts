import { CALLS_SQL } from './calls-migration.ts';
import { PULL_RUNS_SQL } from './pull-runs-migration.ts';

/** A change of the database schema. Never edit a released migration; append a new one. */
export type Migration = { readonly version: number; readonly name: string; readonly sql: string };

/** The PostgreSQL schema that contains all tables of onceover, except those of the job queue. */
export const SCHEMA = 'onceover';

/** All migrations, in order. Version numbers start at 1 and have no gaps. */
export const MIGRATIONS: readonly Migration[] = [
  {
    version: 1,
    name: 'repositories',
    sql: `
      CREATE TABLE onceover.repositories (
        id         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        identity   text NOT NULL UNIQUE,
        remote     text NOT NULL,
        root       text NOT NULL,
        created_at timestamptz NOT NULL DEFAULT now(),
        seen_at    timestamptz NOT NULL DEFAULT now()
      );
      CREATE INDEX repositories_remote ON onceover.repositories (remote);
    `,
  },
  {
    version: 2,
    name: 'stores',
    // Documents are stored as JSON text: PostgreSQL's own JSON type rejects NUL characters and does not keep the order
    // of keys.
    sql: `
      ALTER TABLE onceover.repositories ADD COLUMN last_finding bigint NOT NULL DEFAULT 0;
      CREATE TABLE onceover.receipts (
        repository bigint NOT NULL REFERENCES onceover.repositories ON DELETE CASCADE,
        key        text NOT NULL,
        document   text NOT NULL,
        written_at timestamptz NOT NULL DEFAULT now(),
        PRIMARY KEY (repository, key)
      );
      CREATE TABLE onceover.findings (
        repository bigint NOT NULL REFERENCES onceover.repositories ON DELETE CASCADE,
        number     bigint NOT NULL,
        kept       text NOT NULL,
        document   text NOT NULL,
        resolution text,
        batch      text,
        written_at timestamptz NOT NULL DEFAULT now(),
        PRIMARY KEY (repository, number)
      );
      CREATE INDEX findings_kept ON onceover.findings (repository, kept, number);
      CREATE INDEX findings_batch ON onceover.findings (repository, batch);
      CREATE TABLE onceover.records (
        repository bigint NOT NULL REFERENCES onceover.repositories ON DELETE CASCADE,
        worktree   text NOT NULL,
        name       text NOT NULL,
        content    bytea NOT NULL,
        written_at timestamptz NOT NULL DEFAULT now(),
        PRIMARY KEY (repository, worktree, name)
      );
      CREATE TABLE onceover.ledger (
        id         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        token      text NOT NULL UNIQUE,
        repository bigint NOT NULL REFERENCES onceover.repositories ON DELETE CASCADE,
        at         text COLLATE "C" NOT NULL,
        document   text NOT NULL,
        written_at timestamptz NOT NULL DEFAULT now()
      );
      CREATE INDEX ledger_at ON onceover.ledger (repository, at);
      CREATE TABLE onceover.cooldowns (
        id    bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        login text NOT NULL,
        agent text NOT NULL,
        until timestamptz NOT NULL,
        said  text NOT NULL,
        UNIQUE (login, agent, until)
      );
      CREATE TABLE onceover.workflow_sessions (
        repository bigint NOT NULL REFERENCES onceover.repositories ON DELETE CASCADE,
        worktree   text NOT NULL,
        id         text NOT NULL,
        document   text NOT NULL,
        written_at timestamptz NOT NULL DEFAULT now(),
        PRIMARY KEY (repository, worktree, id)
      );
      CREATE TABLE onceover.statements (
        repository bigint NOT NULL REFERENCES onceover.repositories ON DELETE CASCADE,
        key        text NOT NULL,
        name       text NOT NULL,
        statement  bytea NOT NULL,
        signature  bytea NOT NULL,
        written_at timestamptz NOT NULL DEFAULT now(),
        PRIMARY KEY (repository, key, name)
      );
    `,
  },
  { version: 3, name: 'calls on workers', sql: CALLS_SQL },
  { version: 4, name: 'runs of pull requests', sql: PULL_RUNS_SQL },
];
