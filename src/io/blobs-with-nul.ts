import type { Place } from '../domain/change.ts';
import { done, failed, type Result } from '../domain/result.ts';
import { git } from './git.ts';

/** Those of the blobs that have a NUL byte in them, so are no text; however large they are, none is kept whole. */
export async function blobsWithNul(place: Place, ids: readonly string[]): Promise<Result<ReadonlySet<string>>> {
  const found = new Set<string>();
  if (ids.length === 0) return done(found);
  let answered = 0;
  let header = '';
  let rest = 0;
  // For each blob git writes a line that tells its size, the blob, and a line break.
  function onOutput(chunk: Buffer): void {
    for (let at = 0; at < chunk.length; ) {
      if (rest > 0) {
        const piece = chunk.subarray(at, at + rest);
        if (piece.includes(0)) found.add(ids[answered - 1] ?? '');
        rest -= piece.length;
        at += piece.length;
        continue;
      }
      const end = chunk.indexOf('\n', at);
      header += chunk.toString('latin1', at, end === -1 ? chunk.length : end);
      if (end === -1) return;
      at = end + 1;
      const size = / blob (\d+)$/.exec(header)?.[1];
      if (size === undefined) return;
      rest = Number(size) + 1;
      answered++;
      header = '';
    }
  }
  const command = ['cat-file', '--batch', '--buffer'];
  const input = Buffer.from(ids.map((id) => `${id}\n`).join(''), 'latin1');
  const answer = await git(place.root, command, { input, onOutput });
  if (!answer.ok) return answer;
  if (answered === ids.length) return done(found);
  return failed({ kind: 'git-failed', command: `git ${command.join(' ')}`, said: header });
}
