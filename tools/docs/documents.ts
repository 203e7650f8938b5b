import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { COMMON_WORDS, DOCUMENTS, SHAPES, WORDS } from './document-words.ts';
import { describeType, type JsonSchema } from './json-schema.ts';
import { publishedSchemas, ROOT } from './published.ts';
import { code, table } from './table.ts';

/** The folder with an example of some documents. */
export const EXAMPLES = join(ROOT, 'tools/docs/examples');

/** An object that occurs in several places. The page of the document in `at` describes it, and other pages link there. */
type Shape = { readonly name: string; readonly at: string; readonly like: string; readonly schema: JsonSchema };

/** The folder of the pages, and its generated parts. */
const FOLDER = 'docs/json';

/** Returns the text of each page in docs/json by its path: one page for each document. */
export function documentPages(): Readonly<Record<string, string>> {
  const known = readAll();
  const pages = DOCUMENTS.map(({ name, from, about }): [string, string] => {
    const shapes = known.shared.filter(({ at }) => at.startsWith(`${name}.`));
    const parts = [
      `# ${name}`,
      about,
      `- Returned by: ${from}\n- Schema: [${name}.schema.json](../../schemas/${name}.schema.json)\n- [All JSON documents](README.md)`,
      ...exampleOf(name),
      ...fieldTables({ page: name, name, schema: schemaOf(name), title: 'Fields' }, known),
      ...shapes.flatMap(({ name: shape, schema }) =>
        fieldTables({ page: name, name: shape, schema, title: shape }, known),
      ),
    ];
    return [`${FOLDER}/${name}.md`, `${parts.join('\n\n')}\n`];
  });
  known.words.end();
  return Object.fromEntries(pages);
}

/** Returns the list of documents and the list of objects that several documents contain. */
export function documentListParts(): Readonly<Record<string, string>> {
  const list = DOCUMENTS.map(({ name, from }) => [`[${name}](${name}.md)`, from]);
  const known = readAll();
  const shared = known.shared.flatMap(({ name, like }) => {
    const users = DOCUMENTS.filter((one) => contains(schemaOf(one.name), like)).map((one) => one.name);
    if (users.length < 2) return [];
    return [[`[${name}](${placeOf(name, 'README', known)})`, users.map((one) => `[${one}](${one}.md)`).join(', ')]];
  });
  return {
    'document-list': table(['document', 'returned by'], list),
    'shared-objects': table(['object', 'part of'], shared),
  };
}

/** Returns the published documents that have no page. docs/ui.md lists those of pages. */
export function undescribedDocuments(): readonly string[] {
  const described = new Set(DOCUMENTS.map(({ name }) => name));
  return publishedSchemas()
    .map(({ name }) => name)
    .filter((name) => !described.has(name) && !INPUTS.has(name) && !name.startsWith('page'));
}

const INPUTS = new Set(['onceover.yml', 'deepreview', 'job.yml']);

/** Returns the example of a document, if there is one; test/docs/examples.test.ts checks it with the schema. */
function exampleOf(name: string): readonly string[] {
  const path = join(EXAMPLES, `${name}.json`);
  if (!existsSync(path)) return [];
  return ['## Example', `\`\`\`json\n${readFileSync(path, 'utf8').trim()}\n\`\`\``];
}

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

type Section = { readonly page: string; readonly name: string; readonly schema: JsonSchema; readonly title: string };

/** Returns a heading and a table of the fields; for a union, a heading and a table for each member. */
function fieldTables(section: Section, known: Known): string[] {
  const kinds = section.schema.oneOf;
  if (kinds === undefined) return [`## ${section.title}`, fields(section, known)];
  return kinds.flatMap((kind) => {
    const about = String(kind.properties?.['about']?.const);
    const name = `${section.name}.${about}`;
    return [`## ${section.title} if \`about\` is \`${about}\``, fields({ ...section, name, schema: kind }, known)];
  });
}

function fields(section: Section, known: Known): string {
  return table(['field', 'type', 'meaning'], rows(section, section.schema, known, ''));
}

function rows(section: Section, schema: JsonSchema, known: Known, before: string): string[][] {
  const { name, page } = section;
  return Object.entries(schema.properties ?? {}).flatMap(([key, own]) => {
    const path = `${before}${key}`;
    const shape = [...known.whole, ...known.shared].find((one) => one.name !== name && one.like === likeness(own));
    const isOptional = schema.required?.includes(key) !== true;
    const type = shape === undefined ? describeType(own) : linked(own, shape.name, placeOf(shape.name, page, known));
    const meaning = known.words.of(name, path, own).replace(/\]\(#([\w-]+)\)/g, (_link, target: string) => {
      return `](${placeOf(target, page, known)})`;
    });
    const row = [code(path), `${type}${isOptional ? ', optional' : ''}`, meaning];
    const of = inner(own);
    if (shape !== undefined || of.properties === undefined) return [row];
    return [row, ...rows(section, of, known, `${path}${isList(own) ? '[]' : ''}.`)];
  });
}

function linked(schema: JsonSchema, name: string, place: string): string {
  return `${isList(schema) ? 'list of ' : ''}[${name}](${place})${schema.anyOf === undefined ? '' : ' or null'}`;
}

/** Returns the target of a link from a page to the description of a document or a shared object. */
function placeOf(name: string, page: string, { shared }: Known): string {
  const shape = shared.find((one) => one.name === name);
  const home = shape === undefined ? name : (shape.at.split('.')[0] ?? '');
  const anchor = shape === undefined && home !== page ? '' : `#${name.replaceAll(' ', '-')}`;
  return `${home === page ? '' : `${home}.md`}${anchor}`;
}

/** Whether an object occurs somewhere in a schema. */
function contains(schema: JsonSchema, like: string): boolean {
  const parts = [
    ...Object.values(schema.properties ?? {}),
    ...(schema.anyOf ?? []),
    ...(schema.oneOf ?? []),
    ...(schema.items === undefined ? [] : [schema.items]),
    ...(typeof schema.additionalProperties === 'object' ? [schema.additionalProperties] : []),
  ];
  return likeness(schema) === like || parts.some((part) => contains(part, like));
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
