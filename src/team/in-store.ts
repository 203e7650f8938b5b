import { err } from '../kernel/result.ts';
import type { TeamStore } from './store.ts';
import { StoreError } from './store-error.ts';

type Choice<T> = {
  /** Opens the port on PostgreSQL; returns `null` if the files of the clone are used. */
  open(store: TeamStore): Promise<T | null>;
  /** The result of a method after a failure of the store; default: the failure as a `Result`. Throws to pass it on. */
  failed?(error: StoreError, method: string): unknown;
};

/**
 * Returns a port that uses the store for teams in place of `files`. It connects at the first call of a method. All
 * methods of the port are asynchronous.
 */
export function inTeamStore<T extends object>(commonDir: string, files: T, { open, failed }: Choice<T>): T {
  let opening: Promise<T> | null = null;
  const openOnce = async () => {
    const { teamStore } = await import('./store.ts');
    return (await open(await teamStore(commonDir))) ?? files;
  };
  const call =
    (method: string) =>
    async (...args: unknown[]) => {
      opening ??= openOnce();
      try {
        const port = await opening;
        return await (port[method as keyof T] as (...args: unknown[]) => unknown)(...args);
      } catch (error) {
        opening = null;
        if (!(error instanceof StoreError)) throw error;
        return failed === undefined ? err(error.failure) : failed(error, method);
      }
    };
  return Object.fromEntries(Object.keys(files).map((method) => [method, call(method)])) as T;
}
