import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv, type ValidateFunction } from 'ajv';

type Schema = {
  readonly $ref?: string;
  readonly type?: string;
  readonly nullable?: boolean;
  readonly enum?: readonly unknown[];
  readonly format?: string;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly allOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
};

type Parameter = {
  readonly $ref?: string;
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly schema: Schema;
};

type Operation = {
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: { readonly 'application/json': { readonly schema: Schema } } };
  readonly responses: Readonly<Record<string, { readonly schema?: Schema }>>;
};

type Description = {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: Readonly<Record<string, Readonly<Record<string, Schema>>>> & {
    readonly parameters: Readonly<Record<string, Parameter>>;
  };
};

/** The part of GitHub's OpenAPI description that the program uses (tools/forges/extract-github-api.mjs). */
const description = JSON.parse(
  readFileSync(join(import.meta.dirname, 'github-rest.json'), 'utf8'),
  withoutBareNullable,
) as Description;

/**
 * Ajv knows `nullable` only beside `type` and without `enum`, and GitHub's description also has it beside `enum`, `anyOf`
 * and `$ref`.
 */
function withoutBareNullable(_key: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || !('nullable' in value)) return value;
  if ('type' in value && !('enum' in value)) return value;
  const { nullable, ...schema } = value;
  return nullable === true ? { anyOf: [{ enum: [null] }, schema] } : schema;
}

const ajv = new Ajv({ strict: false, validateFormats: false, allErrors: false });
ajv.addSchema({ ...description, $id: 'github' });

/** An operation of GitHub's REST API, with the parameters of its path. */
export type FoundOperation = {
  readonly key: string;
  readonly parameters: Readonly<Record<string, string>>;
  /** Returns what is wrong with the query and the body of a request; null if nothing is. */
  wrongRequest(query: URLSearchParams, body: unknown): string | null;
  wrongAnswer(status: number, body: unknown): string | null;
  /** Returns an answer with every required field, and those given. */
  answer(status: number, given: object): object;
};

/** Finds the operation of a request; null if GitHub does not describe one. */
export function findOperation(method: string, path: string): FoundOperation | null {
  for (const [template, methods] of Object.entries(description.paths)) {
    const operation = methods[method.toLowerCase()];
    const pattern = template.replace(/\{(\w+)\}/g, '(?<$1>[^/]+)');
    const found = new RegExp(`^${pattern}$`).exec(path);
    if (operation === undefined || found === null) continue;
    const at = `#/paths/${template.replaceAll('~', '~0').replaceAll('/', '~1')}/${method.toLowerCase()}`;
    const schemaOf = (status: number) => operation.responses[String(status)]?.schema;
    return {
      key: `${method} ${template}`,
      parameters: { ...found.groups },
      wrongRequest: (query, body) =>
        wrongParameters(operation, { ...found.groups }, query) ??
        (operation.requestBody === undefined
          ? null
          : wrong(`github${at}/requestBody/content/application~1json/schema`, body)),
      wrongAnswer: (status, body) => {
        if (operation.responses[String(status)] === undefined) return `${status} is not described`;
        return schemaOf(status) === undefined ? null : wrong(`github${at}/responses/${status}/schema`, body);
      },
      answer: (status, given) => {
        const sample = sampleOf(schemaOf(status) ?? {});
        return Array.isArray(sample) ? given : { ...(sample as object), ...given };
      },
    };
  }
  return null;
}

/** Returns an object with every required field of a component, and those given. */
export function component(name: string, given: object): object {
  return { ...(sampleOf({ $ref: `#/components/schemas/${name}` }) as object), ...given };
}

/** Returns what is wrong with the parameters of the path and of the query; null if nothing is. */
function wrongParameters(
  { parameters = [] }: Operation,
  path: Readonly<Record<string, string>>,
  query: URLSearchParams,
): string | null {
  const described = parameters.map((one) =>
    one.$ref === undefined ? one : description.components.parameters[one.$ref.split('/').at(-1) ?? ''],
  );
  const named = (place: string) => described.filter((one) => one?.in === place);
  const given = [
    ...Object.entries(path).map(([name, value]) => ({ place: 'path', name, value })),
    ...[...query].map(([name, value]) => ({ place: 'query', name, value })),
  ];
  for (const { place, name, value } of given) {
    const known = named(place).find((one) => one?.name === name);
    if (known === undefined) return `the ${place} parameter ${name} is not described`;
    const isNumber = known.schema.type === 'integer';
    const problem = ajv.validate(known.schema, isNumber ? Number(value) : value) ? null : ajv.errorsText();
    if (problem !== null) return `${name}: ${problem}`;
  }
  return null;
}

const validators = new Map<string, ValidateFunction>();

function wrong(reference: string, value: unknown): string | null {
  const validate = validators.get(reference) ?? ajv.compile({ $ref: encodeURI(reference) });
  validators.set(reference, validate);
  return validate(value) ? null : ajv.errorsText(validate.errors);
}

function sampleOf(schema: Schema): unknown {
  if (schema.$ref !== undefined) return sampleOf(resolved(schema.$ref));
  if (schema.nullable === true) return null;
  if (schema.enum !== undefined) return schema.enum[0];
  const [one] = [...(schema.oneOf ?? []), ...(schema.anyOf ?? [])];
  if (schema.allOf !== undefined) return Object.assign({}, ...schema.allOf.map(sampleOf)) as object;
  if (one !== undefined && schema.properties === undefined) return sampleOf(one);
  switch (schema.type) {
    case 'string':
      return schema.format === 'uri' ? 'https://example.invalid/' : '2026-01-01T00:00:00Z';
    case 'integer':
    case 'number':
      return 1;
    case 'boolean':
      return false;
    case 'array':
      return [];
    default: {
      const names = schema.required ?? [];
      return Object.fromEntries(names.map((name) => [name, sampleOf(schema.properties?.[name] ?? {})]));
    }
  }
}

function resolved(reference: string): Schema {
  const [, kind = '', name = ''] = reference.slice(2).split('/');
  const found = description.components[kind]?.[name];
  if (found === undefined) throw new Error(`no ${reference}`);
  return found;
}
