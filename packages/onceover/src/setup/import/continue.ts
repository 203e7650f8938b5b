import * as z from 'zod';
import { promptText, type SourceReader } from './source-reader.ts';
import type { SourceConfig, SourceReview } from './types.ts';

export const CONTINUE_FOLDERS = ['.continue/checks', '.agents/checks'];

const schema = z.object({ name: z.string().nullish(), description: promptText.nullish() });

/** Reads the checks of the tool Continue. Each of them becomes a review of the whole repository. */
export async function readContinue(reader: SourceReader): Promise<SourceConfig> {
  const folders: string[] = [];
  const reviews: SourceReview[] = [];
  for (const folder of CONTINUE_FOLDERS) {
    for (const source of await reader.folder(folder, '.md')) {
      if (!folders.includes(folder)) folders.push(folder);
      const file = reader.parse(source, schema);
      if (file === null) continue;
      // If there is no text below the front matter, the description in the front matter is the prompt.
      const text = file.body.trim() === '' ? (file.value.description ?? '') : file.body;
      const at = { file: source.file, line: 1, column: 1 };
      if (reader.isPrompt(text, source.name, at)) reviews.push({ at, name: source.name, text });
    }
  }
  const at = { file: folders[0] ?? '', line: 1, column: 1 };
  return { source: folders.join(', '), entries: [{ at, path: '.', exclude: [], checks: [], reviews }], spare: [] };
}
