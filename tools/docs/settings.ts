import { ruleFileSchema } from '@onceover/gates/src/rules/parse.ts';
import { settingsSchema } from '@onceover/repo/config/settings-schema';
import * as z from 'zod';
import { describeType, type JsonSchema } from './json-schema.ts';
import { code, table } from './table.ts';

/** Returns tables of the keys of `onceover.yml`: one for the top level, and one for each object in it. */
export function settingsParts(): Readonly<Record<string, string>> {
  const whole = schemaOf(settingsSchema);
  const entry = items(field(whole, 'gates'));
  return {
    settings: keys(whole, (key) => key !== 'agent' && key !== 'gates'),
    entries: keys(entry),
    checks: keys(values(field(entry, 'checks'))),
    reviews: keys(values(field(entry, 'reviews'))),
    agents: keys(values(field(whole, 'agent'))),
  };
}

/** Returns a table of the keys of a rule in a `.deepreview` file. */
export function ruleParts(): Readonly<Record<string, string>> {
  return { rule: keys(values(schemaOf(ruleFileSchema))) };
}

function schemaOf(schema: z.ZodType): JsonSchema {
  return z.toJSONSchema(schema, { io: 'input', target: 'draft-2020-12' }) as JsonSchema;
}

function keys(schema: JsonSchema, wanted: (key: string) => boolean = () => true): string {
  return table(['key', 'type', 'default', 'meaning'], rows(schema, '', wanted));
}

function rows(schema: JsonSchema, before: string, wanted: (key: string) => boolean): string[][] {
  return Object.entries(schema.properties ?? {})
    .filter(([key]) => wanted(key))
    .flatMap(([key, own]) => {
      const name = `${before}${key}`;
      if (own.properties !== undefined) return [...about(name, own), ...rows(own, `${name}.`, wanted)];
      if (own.description === undefined) throw new Error(`The key "${name}" has no description.`);
      const needed = schema.required?.includes(key) === true;
      return [[code(name), describeType(own), needed ? 'required' : defaultOf(own), own.description]];
    });
}

// An object without a description gets no row; its keys describe it.
function about(name: string, own: JsonSchema): string[][] {
  return own.description === undefined ? [] : [[code(name), 'object', '', own.description]];
}

function defaultOf({ default: value }: JsonSchema): string {
  if (value === undefined) return '';
  const isEmpty = typeof value === 'object' && value !== null && Object.keys(value).length === 0;
  return isEmpty ? '' : code(String(value));
}

function field(schema: JsonSchema, name: string): JsonSchema {
  const own = schema.properties?.[name];
  if (own === undefined) throw new Error(`The schema has no "${name}".`);
  return own;
}

function items({ items: own }: JsonSchema): JsonSchema {
  if (own === undefined) throw new Error('The schema does not describe a list.');
  return own;
}

function values({ additionalProperties: own }: JsonSchema): JsonSchema {
  if (typeof own !== 'object') throw new Error('The schema does not describe values by name.');
  return own;
}
