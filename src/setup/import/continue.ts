import * as z from 'zod';
import type { Result } from '../../kernel/result.ts';
import type { ProjectFiles } from '../types.ts';
import { openSourceReader, plainReview, type SourceMarkdown, type SourceReader } from './source-file.ts';
import type { SourceConfig, SourceReview } from './types.ts';

export const CONTINUE_FOLDERS = ['.continue/checks', '.agents/checks'];

const schema = z.looseObject({
  name: z.string().nullish(),
  description: z.string().nullish(),
  model: z.string().nullish(),
});

/** Reads the checks of Continue; each becomes a review of everything. */
export async function readContinue(files: ProjectFiles): Promise<Result<SourceConfig>> {
  const reader = openSourceReader(files);
  const reviews: SourceReview[] = [];
  const sources: string[] = [];
  for (const folder of CONTINUE_FOLDERS) {
    const texts = await reader.folder(folder, '.md');
    if (!texts.ok) return texts;
    if (texts.value.length > 0) sources.push(folder);
    for (const text of texts.value) {
      const found = reader.markdown(text, schema);
      reviews.push(...(found === null ? [] : toReview(text.name, found, reader)));
    }
  }
  const entry = {
    at: { file: sources[0] ?? '', line: 1, column: 1 },
    path: { kind: 'entry', text: '.' },
    exclude: [],
    leavesOutWritten: false,
    checks: [],
    reviews,
  } as const;
  return reader.finish('continue', sources.join(', '), { entries: reviews.length === 0 ? [] : [entry], spare: [] });
}

function toReview(
  name: string,
  { value, body, top, place }: SourceMarkdown<z.output<typeof schema>>,
  reader: SourceReader,
): readonly SourceReview[] {
  const { description, model } = value;
  if (model != null && model !== '') reader.leave(place(['model']), { kind: 'model', name, model });
  // A check without a text is described by its front matter alone.
  const hasBody = body.trim() !== '';
  const text = hasBody ? body : (description ?? '');
  if (text.trim() === '') {
    reader.leave(top, { kind: 'empty', name });
    return [];
  }
  const about = [hasBody ? description : null, value.name].find((one) => one != null && one.trim() !== '') ?? null;
  return [plainReview(top, name, text, about)];
}
