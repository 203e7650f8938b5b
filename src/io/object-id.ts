import { done, failed, type Result } from '../domain/result.ts';

/** The name of a git object, in full; anything else, which may come from a record, must not reach git as an argument. */
export function objectId(text: string): Result<string> {
  if (/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(text)) return done(text);
  return failed({ kind: 'git-failed', command: `git cat-file -e ${text}`, said: 'not the name of an object' });
}
