import * as z from 'zod';
import { ruleFileSchema } from '../../src/config/rule-schema.ts';
import { settingsSchema } from '../../src/config/settings-schema.ts';
import { type JsonSchema, tellType } from './json-schema.ts';
import { code, table } from './table.ts';

/** The keys of `onceover.yml`: those at the top, and those of each object in it. */
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

/** The keys of a rule in a `.deepreview` file. */
export function ruleParts(): Readonly<Record<string, string>> {
  return { rule: keys(values(schemaOf(ruleFileSchema))) };
}

function schemaOf(schema: z.ZodType): JsonSchema {
  return z.toJSONSchema(schema, { io: 'input', target: 'draft-2020-12' }) as JsonSchema;
}

function keys(schema: JsonSchema, wanted: (key: string) => boolean = () => true): string {
  return table(['key', 'is', 'unless told', 'means'], rows(schema, '', wanted));
}

function rows(schema: JsonSchema, before: string, wanted: (key: string) => boolean): string[][] {
  return Object.entries(schema.properties ?? {})
    .filter(([key]) => wanted(key))
    .flatMap(([key, own]) => {
      const name = `${before}${key}`;
      if (own.properties !== undefined) return [...about(name, own), ...rows(own, `${name}.`, wanted)];
      if (own.description === undefined) throw new Error(`The key "${name}" is described nowhere.`);
      const needed = schema.required?.includes(key) === true;
      return [[code(name), tellType(own), needed ? 'required' : unlessTold(own), own.description]];
    });
}

// An object whose keys say all there is to say has no line of its own.
function about(name: string, own: JsonSchema): string[][] {
  return own.description === undefined ? [] : [[code(name), 'object', '', own.description]];
}

function unlessTold({ default: value }: JsonSchema): string {
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
  if (own === undefined) throw new Error('The schema is of no list.');
  return own;
}

function values({ additionalProperties: own }: JsonSchema): JsonSchema {
  if (typeof own !== 'object') throw new Error('The schema is of no values by name.');
  return own;
}
