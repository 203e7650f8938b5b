import { err } from '@onceover/base/kernel/result';
import { hasTeamStore, userConfigPath } from './has-store.ts';
import type { TeamStore } from './store.ts';
import { StoreError, storeError } from './store-error.ts';

type Choice<T> = {
  /** Opens the implementation on PostgreSQL; returns `null` to use the files of the clone instead. */
  open(store: TeamStore): Promise<T | null>;
  /**
   * Called when a method has failed because of the store. Returns the method's result, or throws. By default, the
   * method returns the failure as a `Result`.
   */
  failed?(error: StoreError, method: string): unknown;
};

/** Returns the error of a program that does not contain the store for teams, although the user has configured one. */
export function noTeamPackage(): StoreError {
  return storeError(userConfigPath(process.env), 'no-package', '');
}

/** Returns the error of such a program if a run needs workers: without a configured store, there are none to ask. */
export function noWorkers(): StoreError {
  return hasTeamStore() ? noTeamPackage() : storeError(userConfigPath(process.env), 'no-address', '');
}

/**
 * Returns an object that uses the store for teams instead of `files`. It connects when one of its methods is first called.
 * All its methods are asynchronous.
 */
export function inTeamStore<T extends object>(commonDir: string, files: T, { open, failed }: Choice<T>): T {
  let opening: Promise<T> | null = null;
  const openOnce = async () => {
    if (!ONCEOVER_TEAM) throw noTeamPackage();
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
