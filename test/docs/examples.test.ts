import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ruleFileSchema } from '@onceover/gates/src/rules/parse.ts';
import * as library from '@onceover/onceover/src/index.ts';
import { settingsSchema } from '@onceover/repo/config/settings-schema';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import * as z from 'zod';
import { documentPages, EXAMPLES } from '../../tools/docs/documents.ts';
import { publishedSchemas, ROOT } from '../../tools/docs/published.ts';

const pageOf = (name: string) => readFileSync(join(ROOT, 'docs', name), 'utf8');
const blocks = (name: string, language: string) =>
  [...pageOf(name).matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, 'gm'))].map(
    ([, text = '']) => text,
  );

test('the example of configuration.md is valid settings', () => {
  const [first = ''] = blocks('configuration.md', 'yaml');
  expect(settingsSchema.parse(parse(first)).gates).toHaveLength(1);
});

test('the example of rules.md is a valid rules file', () => {
  const [first = ''] = blocks('rules.md', 'yaml');
  expect(Object.keys(ruleFileSchema.parse(parse(first)))).toEqual(['security']);
});

const examples = readdirSync(EXAMPLES).map((file) => file.replace(/\.json$/, ''));

test.each(examples)('the example of docs/json/%s.md has every required field of its schema, and no other', (name) => {
  const schema = publishedSchemas().find((one) => one.name === name)?.schema ?? {};
  const document: unknown = JSON.parse(readFileSync(join(EXAMPLES, `${name}.json`), 'utf8'));
  expect(z.fromJSONSchema(schema as z.core.JSONSchema.JSONSchema).safeParse(document).error).toBeUndefined();
  expect(documentPages()[`docs/json/${name}.md`]).toContain('## Example');
});

describe('library.md', () => {
  // In the table: `name(…)`, possibly several in a row.
  const rows = pageOf('library.md').match(/^\| `.*$/gm) ?? [];
  const named = rows.flatMap((row) =>
    [...(row.split(' | ')[0] ?? '').matchAll(/`(\w+)/g)].map(([, name = '']) => name),
  );

  test('names every export of the library, and nothing else', () => {
    expect([...named].sort()).toEqual(Object.keys(library).sort());
  });
});

test('mcp.md registers the server like init does', () => {
  const entries = blocks('mcp.md', 'json').map((text) => JSON.parse(text) as Record<string, Record<string, unknown>>);
  const call = ['onceover', 'mcp'];
  const [command, ...args] = call;
  expect(entries.map((entry) => entry['mcpServers']?.['onceover'] ?? entry['mcp']?.['onceover'])).toEqual([
    { command, args },
    { command, args },
    { type: 'local', command: call },
  ]);
});
