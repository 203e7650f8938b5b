import { type Place, USUAL_BASES } from '../domain/change.ts';
import { done, failed, type Result } from '../domain/result.ts';
import { ambiguousName, isLeftOut, TELLING_NAMES } from './ambiguous.ts';
import { askFooting, type Footing, readFooting } from './footing.ts';
import { git } from './git.ts';

/** The version of git; null where there is none. */
export async function gitVersion(folder: string): Promise<string | null> {
  const answer = await git(folder, ['--version']);
  return answer.ok ? (/\d+\.\d+[.\d]*/.exec(answer.value.stdout.toString('utf8'))?.[0] ?? null) : null;
}

/** Finds the repository that holds `folder`. */
export async function findPlace(folder: string): Promise<Result<Place>> {
  const found = await findPlaceWith(folder, null);
  return found.ok ? done(found.value.place) : found;
}

/** The same, with what a change stands on if it is measured from `base`; null where that cannot be told so. */
export async function findPlaceWith(
  folder: string,
  base: string | null,
): Promise<Result<{ readonly place: Place; readonly footing: Footing | null }>> {
  const question = [
    'rev-parse',
    '--path-format=absolute',
    '--show-toplevel',
    '--git-common-dir',
    '--git-path',
    'index',
    '--is-shallow-repository',
    '--show-prefix',
    ...(base === null ? ['--symbolic-full-name'] : askFooting(base)),
    ...USUAL_BASES.map(matchOne),
  ];
  const answer = await git(folder, question, { config: TELLING_NAMES });
  if (!answer.ok) {
    if (answer.failure.kind !== 'git-failed') return answer;
    if (base !== null) return findPlaceWith(folder, null);
    if (/not a git repository/i.test(answer.failure.said)) return failed({ kind: 'not-a-repository', folder });
    if (/must be run in a work tree/i.test(answer.failure.said)) return failed({ kind: 'bare-repository', folder });
    return answer;
  }
  const [root, commonDir, index, shallow, prefix, ...more] = answer.value.stdout.toString('utf8').split('\n');
  if (root === undefined || commonDir === undefined || index === undefined || root.startsWith('--')) {
    return failed({ kind: 'git-too-old' });
  }
  // A line break in a path would shift everything that follows it.
  if (shallow !== 'true' && shallow !== 'false') return failed({ kind: 'odd-root', folder });
  const { stderr } = answer.value;
  const found = base === null || ambiguousName(stderr) !== null ? null : readFooting(base, more);
  if (base !== null && found === null) return findPlaceWith(folder, null);
  const [firstRef] = found?.rest ?? more;
  const place = {
    root,
    commonDir,
    index,
    prefix: (prefix ?? '').replace(/\/$/, ''),
    shallow: shallow === 'true',
    usualBase: firstOf(firstRef?.replace(/^refs\/(?:remotes|heads)\//, '') || null, stderr),
  };
  return done({ place, footing: found?.footing ?? null });
}

// One that comes before and was left out is taken by its name: whoever measures from it is told that there are several.
function firstOf(found: string | null, said: string): string | null {
  const names: readonly string[] = USUAL_BASES;
  const at = found === null ? names.length : Math.max(0, names.indexOf(found));
  return names.slice(0, at).find((name) => isLeftOut(name, said)) ?? found;
}

// As a pattern, a branch that is not there is left out of git's answer instead of making it fail.
function matchOne(name: string): string {
  const pattern = `${name.slice(0, -1)}[${name.slice(-1)}]`;
  return name.startsWith('origin/') ? `--remotes=${pattern}` : `--branches=${pattern}`;
}
