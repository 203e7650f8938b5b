import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { JsonSchema } from './json-schema.ts';

/** The root of this repository. */
export const ROOT = resolve(import.meta.dirname, '../..');

const ENDING = '.schema.json';

type Published = { readonly name: string; readonly schema: JsonSchema };

let read: readonly Published[] | null = null;

/** Returns the schemas in schemas/. test/schemas.test.ts keeps them up to date. */
export function publishedSchemas(): readonly Published[] {
  read ??= readSchemas(join(ROOT, 'schemas'));
  return read;
}

function readSchemas(folder: string): readonly Published[] {
  return readdirSync(folder)
    .filter((file) => file.endsWith(ENDING))
    .sort()
    .map((file) => ({
      name: file.slice(0, -ENDING.length),
      schema: JSON.parse(readFileSync(join(folder, file), 'utf8')) as JsonSchema,
    }));
}
