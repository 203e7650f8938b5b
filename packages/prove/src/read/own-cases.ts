import { join } from 'node:path';
import type { CommitId, RepoPath } from '@onceover/base/kernel/ids';
import { repoPath } from '@onceover/base/kernel/paths';
import { err, ok, type Result } from '@onceover/base/kernel/result';
import { listFolder } from '@onceover/base/platform/files';
import { decodeUtf8, readPlainFile } from '@onceover/base/platform/private-files';
import { roundOf, withId } from '../decide/cases.ts';
import { BUG_CLASSES, type BugClass, type BugPlace, type ProofCase } from '../types.ts';

const LONGEST = 1024 * 1024;

/**
 * Reads the user's patches in a folder as test cases, all based on the commit `head`. The lines before the diff
 * describe the bug: `Class: boundary` for its kind, and `Place: src/cart.ts:12-14` for its lines in the changed file. A
 * patch without a place has no bug.
 */
export function readOwnCases(folder: string, head: CommitId): Result<readonly ProofCase[]> {
  const listing = listFolder(folder);
  if (!listing.ok) return listing;
  const names = listing.value.filter(({ name, isFile }) => isFile && /\.(?:patch|diff)$/.test(name));
  if (names.length === 0) return wrong(`${folder} has no file that ends with .patch`);
  const cases: ProofCase[] = [];
  for (const name of names.map((entry) => entry.name).sort()) {
    const file = readPlainFile(join(folder, name), LONGEST);
    const text = file.ok && !file.cut ? decodeUtf8(file.bytes)?.text : undefined;
    if (text === undefined) return wrong(`${name} cannot be read as text of at most 1 MiB`);
    const ownCase = parseOwnCase(text);
    if (typeof ownCase === 'string') return wrong(`${name}: ${ownCase}`);
    const { title, bug, patch } = ownCase;
    const round = { ...roundOf(title ?? 'Change', []), patch };
    const plantedBug = bug === null ? null : { class: bug.class, places: bug.places };
    const about = {
      source: 'own',
      title: title ?? name,
      base: head,
      baseFiles: [],
      planted: plantedBug,
      unedited: null,
    } as const;
    cases.push(withId({ ...about, rounds: [round] }));
  }
  return ok(cases);
}

function wrong(message: string): { readonly ok: false; readonly failure: ReturnType<typeof err>['failure'] } {
  return err({ kind: 'wrong-usage', said: `${message}.`, command: 'prove' });
}

type OwnCase = {
  readonly title: string | null;
  readonly bug: { readonly class: BugClass; readonly places: readonly BugPlace[] } | null;
  readonly patch: string;
};

/** Parses a test case file, which consists of header lines and a diff. If it is invalid, returns the reason as text. */
function parseOwnCase(text: string): OwnCase | string {
  const start = text.search(/^(?:diff --git |--- )/m);
  if (start === -1) return 'there is no diff in it';
  const header = text.slice(0, start);
  const valuesOf = (name: string) =>
    [...header.matchAll(new RegExp(`^${name}:[ \\t]*(.+?)[ \\t\\r]*$`, 'gim'))].map(([, field = '']) => field);
  const [title = null] = [...valuesOf('Title'), ...valuesOf('Subject')];
  const [className] = valuesOf('Class');
  const kind = BUG_CLASSES.find((bugClass) => bugClass === (className ?? 'other'));
  if (kind === undefined) return `"${className}" is not a class; use one of ${BUG_CLASSES.join(', ')}`;
  const places: BugPlace[] = [];
  for (const place of valuesOf('Place')) {
    const [, file = '', from = '', to = from] = /^(.+):(\d{1,7})(?:-(\d{1,7}))?$/.exec(place) ?? [];
    const path: RepoPath | null = repoPath(file);
    if (path === null || path === '' || Number(from) < 1 || Number(to) < Number(from)) {
      return `"${place}" is not a place such as src/cart.ts:12-14`;
    }
    places.push({ file: path, from: Number(from), to: Number(to) });
  }
  return { title, bug: places.length === 0 ? null : { class: kind, places }, patch: text.slice(start) };
}
