import { someNames } from './names.ts';

/** What is said where files were taken back that passes are known from. */
export function tellTakenBack(paths: readonly string[]): string {
  return `while the fixer worked, somebody wrote what would count as a pass, a waiver or an agreement; that was taken back: ${someNames(paths)}; if it was yours, say or run it again`;
}
