import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Place } from '../domain/change.ts';
import { done, failed, type Result } from '../domain/result.ts';
import { HIDING, mayHaveAttributes } from './attributes.ts';
import { codeOf } from './files.ts';
import type { GitAnswer } from './git.ts';

type Ask = (args: readonly string[], input?: Buffer) => Promise<Result<GitAnswer>>;

/**
 * Entries for an index, of files whose text git would not take in as it is: where the attribute "ident" is set, it leaves out what stands between
 * "$Id:" and "$", which may be code. They have the text that lies on disk.
 */
export async function hiddenText(place: Place, indexFile: string, ask: Ask): Promise<Result<Buffer>> {
  if (!mayHaveAttributes(place.commonDir, indexFile)) return done(Buffer.alloc(0));
  const listed = await ask(['ls-files', '-z', '-s', '--', HIDING]);
  if (!listed.ok) return listed;
  const entries: string[] = [];
  for (const line of listed.value.stdout.toString('latin1').split('\0')) {
    const [, mode = '', path = ''] = /^(100\d{3}) [0-9a-f]+ 0\t([\s\S]+)$/.exec(line) ?? [];
    const text = path === '' ? done(null) : readText(join(place.root, Buffer.from(path, 'latin1').toString('utf8')));
    if (!text.ok) return text;
    if (text.value === null || !hides(text.value)) continue;
    const stored = await ask(['hash-object', '-w', '--no-filters', '--stdin'], text.value);
    if (!stored.ok) return stored;
    entries.push(`${mode} ${stored.value.stdout.toString('utf8').trim()} 0\t${path}\0`);
  }
  return done(Buffer.from(entries.join(''), 'latin1'));
}

// What git itself writes there when it checks a file out is no text of anybody's.
const WRITTEN_BY_GIT = /\$Id: (?:[0-9a-f]{40}|[0-9a-f]{64}) \$/g;

function hides(text: Buffer): boolean {
  return text.includes('$Id:') && /\$Id:[^$\n]*\$/.test(text.toString('latin1').replace(WRITTEN_BY_GIT, ''));
}

/** Null where the file is not there: then it is as it was committed. */
function readText(path: string): Result<Buffer | null> {
  try {
    return done(readFileSync(path));
  } catch (error) {
    const code = codeOf(error);
    return code === 'ENOENT' || code === 'ENOTDIR' ? done(null) : failed({ kind: 'disk', action: 'read', path, code });
  }
}
