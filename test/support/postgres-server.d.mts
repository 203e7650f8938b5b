export type PostgresServer = {
  /** The address of the database `postgres`. */
  readonly url: string;
  readonly port: number;
  /** Ends the server at once, as a crash does. */
  stop(): Promise<void>;
  /** Starts a stopped server again, with the same data and port. */
  start(): Promise<void>;
  /** Ends the server and removes its data. */
  remove(): Promise<void>;
};

/** The folder of Debian's PostgreSQL programs; `null` if PostgreSQL is not installed. */
export const postgresPrograms: string | null;

/** Whether tests with PostgreSQL can run. In CI they always run, so a missing server fails them. */
export const hasPostgres: boolean;

/** Starts a server of its own: own data folder, a free port of 127.0.0.1, no fsync. */
export function startPostgres(): Promise<PostgresServer>;
