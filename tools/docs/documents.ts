import { COMMON_WORDS, DOCUMENTS, SHAPES, WORDS } from './document-words.ts';
import { describeType, type JsonSchema } from './json-schema.ts';
import { publishedSchemas } from './published.ts';
import { code, table } from './table.ts';

/** An object that several documents share. The page describes it once and links to it. */
type Shape = { readonly name: string; readonly at: string; readonly like: string; readonly schema: JsonSchema };

/** Returns the list of JSON documents, and a table of fields for each. */
export function documentParts(): Readonly<Record<string, string>> {
  const known = readAll();
  const list = DOCUMENTS.map(({ name, from }) => [`[${name}](#${name})`, from]);
  const documents = DOCUMENTS.map(({ name, from, about }) =>
    [
      `### ${name}`,
      `This document is returned by ${from.replaceAll(/, (?=`)/g, ' or ')}. ${about}`,
      `The schema of this document is [${name}.schema.json](../schemas/${name}.schema.json).`,
      ...fieldTables(name, schemaOf(name), known),
    ].join('\n\n'),
  );
  const parts = {
    'document-list': table(['document', 'returned by'], list),
    documents: documents.join('\n\n'),
    shapes: known.shared
      .map((shape) => [`### ${shape.name}`, ...fieldTables(shape.name, shape.schema, known)].join('\n\n'))
      .join('\n\n'),
  };
  known.words.end();
  return parts;
}

/** Returns the published documents that have no section on the page. docs/ui.md lists those of pages. */
export function undescribedDocuments(): readonly string[] {
  const described = new Set(DOCUMENTS.map(({ name }) => name));
  return publishedSchemas()
    .map(({ name }) => name)
    .filter((name) => !described.has(name) && !INPUTS.has(name) && !name.startsWith('page'));
}

const INPUTS = new Set(['onceover.yml', 'deepreview', 'job.yml']);

type Known = {
  /** Whole documents; some also appear inside others. */
  readonly whole: readonly Shape[];
  readonly shared: readonly Shape[];
  readonly words: Words;
};

function readAll(): Known {
  const whole = DOCUMENTS.map(({ name }): Shape => {
    const schema = schemaOf(name);
    return { name, at: name, like: likeness(schema), schema };
  });
  const shared = SHAPES.map(({ name, at }): Shape => {
    const [document = '', ...path] = at.split('.');
    const schema = inner(path.reduce((own, step) => childOf(own, step), schemaOf(document)));
    return { name, at, like: likeness(schema), schema };
  });
  return { whole, shared, words: openWords() };
}

function schemaOf(name: string): JsonSchema {
  const found = publishedSchemas().find((one) => one.name === name);
  if (found === undefined) throw new Error(`There is no schema "${name}".`);
  return found.schema;
}

function childOf(schema: JsonSchema, step: string): JsonSchema {
  const own = inner(schema).properties?.[step];
  if (own === undefined) throw new Error(`The schema has no "${step}".`);
  return own;
}

/** Returns the schema of the items of a list, or of the value beside null. */
function inner(schema: JsonSchema): JsonSchema {
  const [only, ...others] = (schema.anyOf ?? []).filter(({ type }) => type !== 'null');
  if (only !== undefined && others.length === 0) return inner(only);
  return schema.items === undefined ? schema : inner(schema.items);
}

// The description of the whole object does not matter: two objects are alike if their fields are.
function likeness(schema: JsonSchema): string {
  return JSON.stringify({ ...inner(schema), description: undefined, $schema: undefined });
}

/** Returns a table of the fields; for a union, one table for each member. */
function fieldTables(name: string, schema: JsonSchema, known: Known): string[] {
  const kinds = schema.oneOf;
  if (kinds === undefined) return [fields(name, schema, known)];
  return kinds.flatMap((kind) => {
    const about = String(kind.properties?.['about']?.const);
    return [
      `If ${code('about')} is ${code(about)}, the document has these fields:`,
      fields(`${name}.${about}`, kind, known),
    ];
  });
}

function fields(name: string, schema: JsonSchema, known: Known): string {
  return table(['field', 'type', 'meaning'], rows(name, schema, known, ''));
}

function rows(name: string, schema: JsonSchema, known: Known, before: string): string[][] {
  return Object.entries(schema.properties ?? {}).flatMap(([key, own]) => {
    const path = `${before}${key}`;
    const shape = [...known.whole, ...known.shared].find((one) => one.name !== name && one.like === likeness(own));
    const isOptional = schema.required?.includes(key) !== true;
    const type = `${shape === undefined ? describeType(own) : linked(own, shape.name)}${isOptional ? ', optional' : ''}`;
    const row = [code(path), type, known.words.of(name, path, own)];
    const of = inner(own);
    if (shape !== undefined || of.properties === undefined) return [row];
    return [row, ...rows(name, of, known, `${path}${isList(own) ? '[]' : ''}.`)];
  });
}

function linked(schema: JsonSchema, name: string): string {
  const link = `[${name}](#${name.replaceAll(' ', '-')})`;
  return `${isList(schema) ? 'list of ' : ''}${link}${schema.anyOf === undefined ? '' : ' or null'}`;
}

function isList(schema: JsonSchema): boolean {
  if (schema.anyOf !== undefined) return schema.anyOf.some(isList);
  return schema.items !== undefined;
}

type Words = {
  /** Returns the description of a field: from WORDS, else from its schema, else from COMMON_WORDS. */
  of(document: string, path: string, schema: JsonSchema): string;
  /** Throws if a field has no description, or a description has no field. */
  end(): void;
};

function openWords(): Words {
  const unused = new Set([...Object.keys(WORDS), ...Object.keys(COMMON_WORDS).map((key) => `* ${key}`)]);
  const missing: string[] = [];
  return {
    of(document, path, schema) {
      const [whole, last] = [`${document} ${path}`, path.split('.').at(-1) ?? path];
      const own = WORDS[whole];
      unused.delete(whole);
      if (own !== undefined) return own;
      if (schema.description !== undefined) return schema.description;
      unused.delete(`* ${last}`);
      const common = COMMON_WORDS[last];
      if (common === undefined) missing.push(whole);
      return common ?? '';
    },
    end() {
      if (missing.length > 0) throw new Error(`Fields without a description:\n${missing.join('\n')}`);
      if (unused.size > 0) throw new Error(`Descriptions without a field:\n${[...unused].join('\n')}`);
    },
  };
}
