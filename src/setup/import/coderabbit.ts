import * as z from 'zod';
import type { Position } from '../../kernel/failure.ts';
import type { RepoPath } from '../../kernel/ids.ts';
import type { Result } from '../../kernel/result.ts';
import type { ProjectFiles } from '../types.ts';
import { openSourceReader, plainReview, type SourceFile, type SourceReader } from './source-file.ts';
import type { SourceConfig, SourceEntry, SourceExclude, SourceReview } from './types.ts';

const schema = z.looseObject({
  tone_instructions: z.string().nullish(),
  reviews: z
    .looseObject({
      path_filters: z.array(z.string()).nullish(),
      path_instructions: z.array(z.looseObject({ path: z.string(), instructions: z.string() })).nullish(),
      pre_merge_checks: z
        .looseObject({
          custom_checks: z
            .array(z.looseObject({ name: z.string(), instructions: z.string(), mode: z.string().nullish() }))
            .nullish(),
        })
        .nullish(),
    })
    .nullish(),
});

type CodeRabbit = SourceFile<z.output<typeof schema>>;

/** Reads `.coderabbit.yaml`: instructions per path, custom checks and path filters. */
export async function readCodeRabbit(files: ProjectFiles, file: string): Promise<Result<SourceConfig>> {
  const read = await files.read(file as RepoPath);
  if (!read.ok) return read;
  const reader = openSourceReader(files);
  const found = reader.yaml({ file, text: read.value ?? '' }, schema);
  if (found === null) return reader.finish('coderabbit', file, { entries: [], spare: [] });
  const exclude = excludesOf(found, reader);
  const { used, spare } = customChecks(found, reader);
  const top: Position = { file, line: 1, column: 1 };
  // CodeRabbit also reviews everything by its built-in rules, so our own review takes their place.
  reader.leave(top, { kind: 'own-text', name: null, standsIn: true });
  const entry = { exclude, leavesOutWritten: true, checks: [] };
  const everything: SourceEntry = {
    ...entry,
    at: top,
    path: { kind: 'entry', text: '.' },
    reviews: [plainReview(top, 'code-quality', null), ...used],
  };
  const byPath = pathReviews(found, reader).map(({ path, review }) => ({
    ...entry,
    at: review.at,
    path: { kind: 'glob' as const, text: path },
    reviews: [review],
  }));
  if ((found.value.tone_instructions ?? '').trim() !== '') {
    reader.leave(found.place(['tone_instructions'], 'key'), { kind: 'tone' });
  }
  return reader.finish('coderabbit', file, { entries: [everything, ...byPath], spare });
}

/** Returns the path filters that exclude files. A filter that includes files has no counterpart. */
function excludesOf({ value, place }: CodeRabbit, reader: SourceReader): readonly SourceExclude[] {
  return (value.reviews?.path_filters ?? []).flatMap((filter, i) => {
    const at = place(['reviews', 'path_filters', i]);
    if (filter.startsWith('!')) return [{ at, glob: filter.slice(1) }];
    if (filter.trim() !== '') reader.leave(at, { kind: 'only', glob: filter });
    return [];
  });
}

function pathReviews({ value, place }: CodeRabbit, reader: SourceReader) {
  return (value.reviews?.path_instructions ?? []).flatMap(({ path, instructions }, i) => {
    const key = ['reviews', 'path_instructions', i];
    if (!isUsable(instructions, [...key, 'instructions'], place, path, reader)) return [];
    const name = /^[*/.]*$/.test(path) ? 'everything' : path;
    return [{ path, review: plainReview(place([...key, 'path']), name, instructions) }];
  });
}

/** Returns the custom checks before a merge as reviews of everything. Those that are off are spare. */
function customChecks({ value, place }: CodeRabbit, reader: SourceReader) {
  const used: SourceReview[] = [];
  const spare: SourceReview[] = [];
  for (const [i, { name, mode, instructions }] of (value.reviews?.pre_merge_checks?.custom_checks ?? []).entries()) {
    const key = ['reviews', 'pre_merge_checks', 'custom_checks', i];
    if (!isUsable(instructions, [...key, 'instructions'], place, name, reader)) continue;
    (mode === 'off' ? spare : used).push(plainReview(place(key), name.toLowerCase(), instructions, name));
    if (mode === 'warning') reader.leave(place(key), { kind: 'warns-only', name });
  }
  return { used, spare };
}

function isUsable(
  text: string,
  key: readonly PropertyKey[],
  place: CodeRabbit['place'],
  name: string,
  reader: SourceReader,
): boolean {
  if (!reader.isWritable(text, place(key), key.join('.'))) return false;
  if (text.trim() === '') reader.leave(place(key), { kind: 'empty', name });
  return text.trim() !== '';
}
