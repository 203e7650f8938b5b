import { COMMON_WORDS, DOCUMENTS, SHAPES, WORDS } from './document-words.ts';
import { type JsonSchema, tellType } from './json-schema.ts';
import { publishedSchemas } from './published.ts';
import { code, table } from './table.ts';

/** The shapes that several documents share, each told once: where it is found, and what it is like there. */
type Shape = { readonly name: string; readonly at: string; readonly like: string; readonly schema: JsonSchema };

/** The JSON documents, field by field. */
export function documentParts(): Readonly<Record<string, string>> {
  const told = readAll();
  const list = DOCUMENTS.map(({ name, from }) => [`[${name}](#${name})`, from]);
  const documents = DOCUMENTS.map(({ name, from, about }) =>
    [
      `### ${name}`,
      `${from}. ${about} Schema: [${name}.schema.json](../schemas/${name}.schema.json).`,
      ...fieldTables(name, schemaOf(name), told),
    ].join('\n\n'),
  );
  const parts = {
    'document-list': table(['document', 'of'], list),
    documents: documents.join('\n\n'),
    shapes: told.shared
      .map((shape) => [`### ${shape.name}`, ...fieldTables(shape.name, shape.schema, told)].join('\n\n'))
      .join('\n\n'),
  };
  told.words.end();
  return parts;
}

/** Published documents that have no section, which the page would be silent about. */
export function untoldDocuments(): readonly string[] {
  const told = new Set(DOCUMENTS.map(({ name }) => name));
  return publishedSchemas()
    .map(({ name }) => name)
    .filter((name) => !told.has(name) && !INPUTS.has(name));
}

const INPUTS = new Set(['onceover.yml', 'deepreview', 'job.yml']);

type Told = {
  /** Documents that are also found inside of others. */
  readonly whole: readonly Shape[];
  readonly shared: readonly Shape[];
  readonly words: Words;
};

function readAll(): Told {
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
  if (own === undefined) throw new Error(`No "${step}" here.`);
  return own;
}

/** What is in a list, or beside null. */
function inner(schema: JsonSchema): JsonSchema {
  const [only, ...others] = (schema.anyOf ?? []).filter(({ type }) => type !== 'null');
  if (only !== undefined && others.length === 0) return inner(only);
  return schema.items === undefined ? schema : inner(schema.items);
}

// Fields in any place are the same ones whatever is said of the whole.
function likeness(schema: JsonSchema): string {
  return JSON.stringify({ ...inner(schema), description: undefined, $schema: undefined });
}

/** A table of the fields; one for each kind where the document is of several. */
function fieldTables(name: string, schema: JsonSchema, told: Told): string[] {
  const kinds = schema.oneOf;
  if (kinds === undefined) return [fields(name, schema, told)];
  return kinds.flatMap((kind) => {
    const about = String(kind.properties?.['about']?.const);
    return [`With ${code(`about: ${about}`)}:`, fields(`${name}.${about}`, kind, told)];
  });
}

function fields(name: string, schema: JsonSchema, told: Told): string {
  return table(['field', 'is', 'means'], rows(name, schema, told, ''));
}

function rows(name: string, schema: JsonSchema, told: Told, before: string): string[][] {
  return Object.entries(schema.properties ?? {}).flatMap(([key, own]) => {
    const path = `${before}${key}`;
    const shape = [...told.whole, ...told.shared].find((one) => one.name !== name && one.like === likeness(own));
    const isOptional = schema.required?.includes(key) !== true;
    const type = `${shape === undefined ? tellType(own) : linked(own, shape.name)}${isOptional ? ', or not there' : ''}`;
    const row = [code(path), type, told.words.of(name, path, own)];
    const of = inner(own);
    if (shape !== undefined || of.properties === undefined) return [row];
    return [row, ...rows(name, of, told, `${path}${isList(own) ? '[]' : ''}.`)];
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
  /** What a field means: by its own description, else by ours of that field, else by that of all fields of its name. */
  of(document: string, path: string, schema: JsonSchema): string;
  /** Throws where something is described that there is not, or not described that there is. */
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
      if (missing.length > 0) throw new Error(`Described nowhere:\n${missing.join('\n')}`);
      if (unused.size > 0) throw new Error(`Described, and not there:\n${[...unused].join('\n')}`);
    },
  };
}
