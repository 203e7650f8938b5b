import type { DiffSection } from '../domain/ports.ts';
import { type RawEntry, readRawDiff } from './raw-diff.ts';

/** The diff of one path or rename, with what git's list says of it. */
export type PatchPart = DiffSection & { readonly raw: RawEntry };

/** Reads the output of `--patch-with-raw -z`; null where the patches are not those of the list. */
export function readPatch(output: Buffer): PatchPart[] | null {
  if (output.length === 0) return [];
  const border = output.indexOf('\0\0');
  if (border === -1) return null;
  const sections = splitSections(output.subarray(border + 2));
  let used = 0;
  const parts = readRawDiff(output.subarray(0, border + 1)).map((raw) => {
    // What was a file and is a symlink now is written as a deletion and an addition.
    const count = raw.status === 'T' ? 2 : 1;
    const text = sections.slice(used, used + count).join('');
    used += count;
    return { paths: raw.paths, text, raw };
  });
  return used === sections.length ? parts : null;
}

const START = 'diff --git ';

// Lines of files are never taken for a beginning: before each stands a blank, a plus or a minus.
function splitSections(patch: Buffer): string[] {
  const sections: string[] = [];
  for (let from = 0; from < patch.length; ) {
    const next = patch.indexOf(`\n${START}`, from);
    const end = next === -1 ? patch.length : next + 1;
    sections.push(patch.toString('utf8', from, end));
    from = end;
  }
  return sections;
}
