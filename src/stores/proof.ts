import { basename, join } from 'node:path';
import type { RepoPath } from '../domain/brand.ts';
import type { Place } from '../domain/change.ts';
import { GENERATED_FOLDER } from '../domain/generated.ts';
import type { Proof } from '../domain/ports.ts';
import { done, type Result } from '../domain/result.ts';
import { checkFolder, listFolder, lookAt, makeFolder, removeFile, writeWhole } from '../io/files.ts';
import { parseJson } from '../io/json-file.ts';
import { readOwn } from '../io/own-file.ts';
import { tracesOf } from '../io/trace.ts';
import { readFinding, readResolution } from './finding-shape.ts';
import { INSTRUCTIONS_FOLDER } from './instruction-files.ts';

/** What runs believe, in the folder that all working trees of the clone share and in this working tree. */
export function openProof({ root, commonDir }: Pick<Place, 'root' | 'commonDir'>, logDir: RepoPath): Proof {
  const own = (folder: string) => ({ top: commonDir, folder });
  const sources: readonly Source[] = [
    { ...own('onceover/receipts'), name: /\.json$/, isTold: true },
    { ...own('onceover/passes'), name: /\.json$/, isTold: true },
    { top: root, folder: logDir, name: /\.json$/, isTold: true },
    { top: root, folder: `${GENERATED_FOLDER}/${INSTRUCTIONS_FOLDER}`, name: /\.passed$/, isTold: true },
    // What was found out before, to save time: it is found out again.
    { ...own('onceover'), name: /^parsed\.json$/, isTold: false },
    { ...own('onceover/answers'), name: /./, isTold: false },
    { ...own('onceover/indexes'), name: /./, isTold: false },
    { ...own('onceover/hook'), name: /\.json$/, isTold: false },
  ];
  const texts: readonly Texts[] = [
    { ...own('onceover/findings'), name: /^F\d+(?:\.said)?\.json$/, isLess: isLessKnown },
    { ...own('onceover'), name: /^trusted\.json$/, isLess: () => true },
  ];
  return {
    async note() {
      const noted = sources.map((source) => ({ source, traces: tracesIn(source) }));
      const known = texts.map((source) => ({ source, texts: textsIn(source) }));
      return {
        async takeBack() {
          const ends = [
            ...noted.flatMap(({ source, traces }) => removeNew(source, traces)),
            ...known.flatMap((one) => putBack(one.source, one.texts)),
          ];
          const failure = ends.find((end) => !end.ok);
          return failure ?? done(ends.flatMap((end) => (end.ok && end.value !== null ? [end.value] : [])));
        },
      };
    },
  };
}

/** Plain files of one kind in a folder below `top`. */
type Files = { readonly top: string; readonly folder: string; readonly name: RegExp };

/** What is taken away where somebody else wrote it: without it somebody is asked again. */
type Source = Files & { readonly isTold: boolean };

/** What is put back as it was; `isLess`: whether what is there now would hold somebody to less than what was there. */
type Texts = Files & { isLess(before: string | null, now: string | null, name: string): boolean };

function pathsOf({ top, folder, name }: Files): readonly string[] {
  const there = checkFolder(top, folder);
  const listed = there.ok ? listFolder(join(top, folder)) : there;
  const names = listed.ok ? listed.value.map((one) => one.name).filter((one) => name.test(one)) : [];
  return names.map((one) => join(top, folder, one)).filter((path) => lookAt(path)?.isDirectory() === false);
}

function tracesIn(files: Files): ReadonlyMap<string, string> {
  return new Map(Object.entries(tracesOf(pathsOf(files))));
}

function textsIn(files: Files): ReadonlyMap<string, string> {
  return new Map(
    pathsOf(files).flatMap((path) => {
      const text = textOf(path);
      return text === null ? [] : [[path, text] as const];
    }),
  );
}

function textOf(path: string): string | null {
  const read = readOwn(path);
  return read.ok ? read.value : null;
}

/** Each path that was taken back; null: there is nothing to tell of it. */
type TakenBack = Result<string | null>;

function removeNew(source: Source, before: ReadonlyMap<string, string>): readonly TakenBack[] {
  const changed = [...tracesIn(source)].filter(([path, trace]) => before.get(path) !== trace);
  return changed.map(([path]) => {
    const removed = removeFile(path);
    return removed.ok ? done(source.isTold ? path : null) : removed;
  });
}

function putBack(source: Texts, before: ReadonlyMap<string, string>): readonly TakenBack[] {
  return [...new Set([...before.keys(), ...pathsOf(source)])].map((path) => {
    const was = before.get(path) ?? null;
    const now = textOf(path);
    if (was === now || !source.isLess(was, now, basename(path))) return done(null);
    const put = was === null ? removeFile(path) : writeBack(source, basename(path), was);
    return put.ok ? done(path) : put;
  });
}

function writeBack({ top, folder }: Files, name: string, text: string): Result<void> {
  const made = makeFolder(top, folder);
  return made.ok ? writeWhole(made.value, name, text) : made;
}

/**
 * Of findings: one that is open counts as it was, and a waiver that is new does not. Another working tree may have added or
 * reopened one meanwhile: that stays.
 */
function isLessKnown(before: string | null, now: string | null, name: string): boolean {
  if (name.includes('.said.')) return readResolution(parseJson(now ?? ''))?.how === 'skipped';
  return before !== null && readFinding(parseJson(before))?.kept !== 'closed';
}
