import * as z from 'zod';
import { promptText, type SourceReader } from './source-reader.ts';
import type { SourceConfig, SourceReview } from './types.ts';

export const CONTINUE_FOLDERS = ['.continue/checks', '.agents/checks'];

const schema = z.object({ name: z.string().nullish(), description: promptText.nullish() });

/** Returns the checks of the tool Continue. Each becomes a review of the whole repository. */
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
      // If there is no text below the front matter, the description in the front matter is the prompt.
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
