import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { runSchema } from '@onceover/gates/result/json-schema';
import { ruleFileSchema } from '@onceover/gates/src/rules/parse.ts';
import * as library from '@onceover/onceover/src/index.ts';
import { settingsSchema } from '@onceover/repo/config/settings-schema';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { ROOT } from '../../tools/docs/published.ts';

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

test('the example of json.md is a run document with every required field', () => {
  const [first = ''] = blocks('json.md', 'json');
  const document: unknown = JSON.parse(first);
  expect(runSchema.strict().parse(document)).toEqual(document);
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
