import { code } from './table.ts';

/** The part of JSON Schema that our schemas use. */
export type JsonSchema = {
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly default?: unknown;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly items?: JsonSchema;
  readonly additionalProperties?: JsonSchema | boolean;
  readonly anyOf?: readonly JsonSchema[];
  readonly oneOf?: readonly JsonSchema[];
};

/** Describes the type of a value in a few words. */
export function describeType(schema: JsonSchema): string {
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices !== undefined) return unique(choices.map(describeType)).join(' or ');
  if (schema.const !== undefined) return code(String(schema.const));
  if (schema.enum !== undefined) return schema.enum.map((one) => code(String(one))).join(', ');
  switch (schema.type) {
    case 'integer':
      return `whole number${range(schema)}`;
    case 'array':
      return listOf(schema.items ?? {});
    case 'object':
      return typeof schema.additionalProperties === 'object' && schema.properties === undefined
        ? byName(describeType(schema.additionalProperties))
        : 'object';
    case undefined:
      return 'anything';
    default:
      return [schema.type].flat().join(' or ');
  }
}

function byName(values: string): string {
  return values === 'object' ? 'object by name' : `object that maps names to: ${values}`;
}

function listOf(items: JsonSchema): string {
  const one = describeType(items);
  return one === 'string' || one === 'number' || one === 'object' ? `list of ${one}s` : `list of: ${one}`;
}

// The limits of safe integers are not a range worth printing.
function range({ minimum, maximum }: JsonSchema): string {
  const least = minimum !== undefined && minimum > Number.MIN_SAFE_INTEGER ? minimum : null;
  const most = maximum !== undefined && maximum < Number.MAX_SAFE_INTEGER ? maximum : null;
  if (least === null) return '';
  return most === null ? `, ${least} or more` : `, ${least} to ${most}`;
}

function unique(texts: readonly string[]): readonly string[] {
  return [...new Set(texts)];
}
