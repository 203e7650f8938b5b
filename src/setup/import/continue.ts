import * as z from 'zod';
import { promptText, type SourceReader } from './source-reader.ts';
import type { SourceConfig, SourceReview } from './types.ts';

export const CONTINUE_FOLDERS = ['.continue/checks', '.agents/checks'];

const schema = z.object({ name: z.string().nullish(), description: promptText.nullish() });

/** Reads the checks of Continue; each becomes a review of everything. */
export async function readContinue(reader: SourceReader): Promise<SourceConfig> {
  const reviews: SourceReview[] = [];
  const sources: string[] = [];
  for (const folder of CONTINUE_FOLDERS) {
    const texts = await reader.folder(folder, '.md');
    if (texts.length > 0) sources.push(folder);
    for (const source of texts) {
      const found = reader.parse(source, schema);
      if (found === null) continue;
      const { name } = source;
      const { description } = found.value;
      // A check without a text is described by its front matter alone.
      const hasBody = found.body.trim() !== '';
      const text = hasBody ? found.body : (description ?? '');
      const at = { file: source.file, line: 1, column: 1 };
      if (reader.isPrompt(text, name, at)) reviews.push({ at, name, text });
    }
  }
  const at = { file: sources[0] ?? '', line: 1, column: 1 };
  return {
    source: sources.join(', '),
    entries: [{ at, path: '.', exclude: [], checks: [], reviews }],
    spare: [],
  };
}
