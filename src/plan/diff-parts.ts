import type { RepoPath } from '../domain/brand.ts';
import type { DiffSection } from '../domain/ports.ts';

/** The sections of a diff that a gate may see; a rename that leads out of the gate has to be shown another way. */
export type GateSections = { readonly whole: readonly DiffSection[]; readonly torn: readonly RepoPath[] };

/** Picks the sections of a gate's paths. */
export function sectionsOf(sections: readonly DiffSection[], paths: ReadonlySet<string>): GateSections {
  const whole: DiffSection[] = [];
  const torn: RepoPath[] = [];
  for (const section of sections) {
    const inside = section.paths.filter((path) => paths.has(path));
    if (inside.length === section.paths.length) whole.push(section);
    else torn.push(...inside);
  }
  return { whole, torn };
}

/** A diff in as few parts as fit the limit, cut between files; a file that does not fit alone is never cut. */
export type DiffParts =
  | { readonly ok: true; readonly parts: readonly DiffSection[] }
  | { readonly ok: false; readonly path: RepoPath; readonly characters: number };

export function splitDiff(sections: readonly DiffSection[], limit: number): DiffParts {
  const parts: DiffSection[] = [];
  let part: DiffSection = { paths: [], text: '' };
  for (const { paths, text } of sections) {
    if (text.length > limit) return { ok: false, path: paths.at(-1) ?? ('' as RepoPath), characters: text.length };
    if (part.text !== '' && part.text.length + text.length > limit) {
      parts.push(part);
      part = { paths: [], text: '' };
    }
    part = { paths: [...part.paths, ...paths], text: part.text + text };
  }
  return { ok: true, parts: part.text === '' && parts.length > 0 ? parts : [...parts, part] };
}

/** Which part shows a file, counted from 0; what no part shows goes with the first. */
export function partShowing(file: string | null, parts: readonly DiffSection[]): number {
  return Math.max(
    0,
    parts.findIndex(({ paths }) => paths.some((path) => path === file)),
  );
}
