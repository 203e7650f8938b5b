import * as z from 'zod';
import { quoteName } from '../../kernel/escape.ts';
import type { SourceReader } from './source-reader.ts';
import type { SourceConfig, SourceEntry, SourceReview } from './types.ts';

const schema = z.object({
  tone_instructions: z.string().nullish(),
  reviews: z
    .object({
      path_filters: z.array(z.string()).nullish(),
      path_instructions: z.array(z.object({ path: z.string(), instructions: z.string() })).nullish(),
      pre_merge_checks: z
        .object({
          custom_checks: z
            .array(z.object({ name: z.string(), instructions: z.string(), mode: z.string().nullish() }))
            .nullish(),
        })
        .nullish(),
    })
    .nullish(),
});

/** Reads `.coderabbit.yaml`: instructions per path, custom checks and path filters. */
export async function readCodeRabbit(reader: SourceReader, file: string): Promise<SourceConfig | null> {
  const found = reader.parse({ file, text: await reader.read(file) }, schema);
  if (found === null) return null;
  const { value, place } = found;
  const top = { file, line: 1, column: 1 };
  reader.note(top, 'it also reviews everything by built-in rules; our code-quality review replaces them');
  if ((value.tone_instructions ?? '').trim() !== '') {
    const said = 'onceover has no setting for the tone of reviewers; add it to a prompt if you need it';
    reader.note(place(['tone_instructions'], 'key'), said);
  }

  const exclude = (value.reviews?.path_filters ?? []).flatMap((filter, i) => {
    const at = place(['reviews', 'path_filters', i]);
    if (filter.startsWith('!')) return [{ at, glob: filter.slice(1) }];
    if (filter.trim() !== '') {
      reader.note(at, `onceover cannot limit all reviews to ${quoteName(filter)} at once; change the path of each`);
    }
    return [];
  });
  const entry = { exclude, leavesOutWritten: true, checks: [] };

  /** Returns a review, if its instructions can be a prompt. */
  const toReview = (name: string, text: string, path: readonly PropertyKey[], more: Omit<SourceReview, 'text'>) => {
    const key = [...path, 'instructions'];
    return reader.isPrompt(text, { name, at: place(key), key: key.join('.') }) ? [{ ...more, text }] : [];
  };
  const byPath = (value.reviews?.path_instructions ?? []).flatMap(({ path, instructions }, i): SourceEntry[] => {
    const key = ['reviews', 'path_instructions', i];
    const at = place([...key, 'path']);
    const name = /^[*/.]*$/.test(path) ? 'everything' : path;
    const reviews = toReview(path, instructions, key, { at, name });
    return reviews.length === 0 ? [] : [{ ...entry, at, path, isFileGlob: true, reviews }];
  });
  const custom = (value.reviews?.pre_merge_checks?.custom_checks ?? []).flatMap(({ name, mode, instructions }, i) => {
    const key = ['reviews', 'pre_merge_checks', 'custom_checks', i];
    const at = place(key);
    const made = toReview(name, instructions, key, { at, name: name.toLowerCase(), about: name });
    if (made.length > 0 && mode === 'warning') {
      const said = 'only warns there; here its findings block ("fail_on" sets from which priority on)';
      reader.note(at, `${quoteName(name)} ${said}`);
    }
    return made.map((review) => ({ review, isOff: mode === 'off' }));
  });

  const used = custom.filter(({ isOff }) => !isOff).map(({ review }) => review);
  const everything = {
    ...entry,
    at: top,
    path: '.',
    reviews: [{ at: top, name: 'code-quality', text: null }, ...used],
  };
  const spare = custom.filter(({ isOff }) => isOff).map(({ review }) => review);
  return { source: file, entries: [everything, ...byPath], spare };
}
