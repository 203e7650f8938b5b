import { quoteName } from '@onceover/base/kernel/escape';
import * as z from 'zod';
import { promptText, type SourceReader } from './source-reader.ts';
import type { SourceConfig, SourceEntry } from './types.ts';

const schema = z.object({
  reviews: z
    .object({
      path_filters: z.array(z.string()).nullish(),
      path_instructions: z.array(z.object({ path: z.string(), instructions: promptText })).nullish(),
      pre_merge_checks: z
        .object({
          custom_checks: z
            .array(z.object({ name: z.string(), instructions: promptText, mode: z.string().nullish() }))
            .nullish(),
        })
        .nullish(),
    })
    .nullish(),
});

/** Returns CodeRabbit's path instructions, custom checks and path filters; null if its file is not valid. */
export async function readCodeRabbit(reader: SourceReader, file: string): Promise<SourceConfig | null> {
  const config = reader.parse({ file, text: await reader.read(file) }, schema);
  if (config === null) return null;
  const { value, place } = config;
  const top = { file, line: 1, column: 1 };
  reader.note(top, 'it also reviews everything by built-in rules; our code-quality review replaces them');
  const exclude = (value.reviews?.path_filters ?? []).flatMap((filter, i) => {
    const at = place(['reviews', 'path_filters', i]);
    if (filter.startsWith('!')) return [{ at, glob: filter.slice(1) }];
    if (filter.trim() !== '') {
      reader.note(at, `onceover cannot limit all reviews to ${quoteName(filter)} at once; change the path of each`);
    }
    return [];
  });
  const entry = { exclude, leavesOutWritten: true, checks: [] };

  const byPath = (value.reviews?.path_instructions ?? []).flatMap(({ path, instructions: text }, i): SourceEntry[] => {
    const key = ['reviews', 'path_instructions', i];
    if (!reader.isPrompt(text, path, place([...key, 'instructions']))) return [];
    const at = place([...key, 'path']);
    const name = /^[*/.]*$/.test(path) ? 'everything' : path;
    return [{ ...entry, at, path, isFileGlob: true, reviews: [{ at, name, text }] }];
  });
  const custom = (value.reviews?.pre_merge_checks?.custom_checks ?? []).flatMap(
    ({ name, mode, instructions: text }, i) => {
      const key = ['reviews', 'pre_merge_checks', 'custom_checks', i];
      if (!reader.isPrompt(text, name, place([...key, 'instructions']))) return [];
      const at = place(key);
      if (mode === 'warning') {
        const remark = 'only warns there; here its findings block ("fail_on" sets from which priority on)';
        reader.note(at, `${quoteName(name)} ${remark}`);
      }
      return [{ at, name: name.toLowerCase(), text, isOff: mode === 'off' }];
    },
  );

  const activeReviews = custom.filter(({ isOff }) => !isOff);
  const wholeRepository = {
    ...entry,
    at: top,
    path: '.',
    reviews: [{ at: top, name: 'code-quality', text: null }, ...activeReviews],
  };
  return { source: file, entries: [wholeRepository, ...byPath], spare: custom.filter(({ isOff }) => isOff) };
}
