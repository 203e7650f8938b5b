import { isObject, type Json, type JsonObject, objectAt, objectsIn, stringAt } from '../json.ts';
import type { Rejection, Rule } from '../wire/wire.ts';

/** A strict answer schema requires every property and allows no others. */
export const strictAnswerSchema: Rule = (body) => {
  const format = objectAt(objectAt(body, 'text'), 'format');
  if (format['type'] !== 'json_schema' || format['strict'] !== true) return null;
  const problem = strictProblem(format['schema'] ?? {}, []);
  if (problem === null) return null;
  const message = `Invalid schema for response_format '${stringAt(format, 'name')}': ${problem}`;
  return { ...invalid(message), code: 'invalid_json_schema', param: 'text.format.schema' };
};

/** The parameters of a strict tool follow the same rule. */
export const strictToolSchemas: Rule = (body) => {
  for (const [i, tool] of objectsIn(body['tools']).entries()) {
    if (tool['type'] !== 'function' || tool['strict'] !== true) continue;
    const problem = strictProblem(tool['parameters'] ?? {}, []);
    if (problem === null) continue;
    const message = `Invalid schema for function '${stringAt(tool, 'name')}': ${problem}`;
    return { ...invalid(message), code: 'invalid_function_parameters', param: `tools[${i}].parameters` };
  }
  return null;
};

/** An output belongs to an earlier call. */
export const outputsHaveCalls: Rule = (body) => {
  const calls = new Set<string>();
  for (const item of objectsIn(body['input'])) {
    const type = stringAt(item, 'type');
    const id = stringAt(item, 'call_id');
    if (type.endsWith('_call')) calls.add(id);
    if (!type.endsWith('_call_output') || calls.has(id)) continue;
    return { ...invalid(`No tool call found for function call output with call_id ${id}.`), param: 'input' };
  }
  return null;
};

/** Every request that OpenAI's API is known to reject. */
export const openaiRules: readonly Rule[] = [strictAnswerSchema, strictToolSchemas, outputsHaveCalls];

/** Returns why a schema is not strict, with the location in OpenAI's words. */
function strictProblem(schema: Json, path: readonly string[]): string | null {
  if (!isObject(schema)) return null;
  const own = isObjectSchema(schema) ? objectProblem(schema, path) : null;
  if (own !== null) return own;
  for (const [inner, step] of subschemas(schema)) {
    const problem = strictProblem(inner, [...path, ...step]);
    if (problem !== null) return problem;
  }
  return null;
}

function objectProblem(schema: JsonObject, path: readonly string[]): string | null {
  const context = `In context=(${path.map((step) => `'${step}'`).join(', ')}${path.length === 1 ? ',' : ''})`;
  if (schema['additionalProperties'] !== false) {
    return `${context}, 'additionalProperties' is required to be supplied and to be false.`;
  }
  const required = schema['required'];
  const named = Array.isArray(required) ? required : [];
  const missing = Object.keys(objectAt(schema, 'properties')).find((name) => !named.includes(name));
  if (missing === undefined) return null;
  return `${context}, 'required' is required to be supplied and to be an array including every key in properties. Missing '${missing}'.`;
}

function isObjectSchema(schema: JsonObject): boolean {
  const type = schema['type'];
  return type === 'object' || (Array.isArray(type) && type.includes('object')) || isObject(schema['properties']);
}

function subschemas(schema: JsonObject): readonly (readonly [Json, readonly string[]])[] {
  const maps = ['properties', '$defs', 'definitions'].flatMap((key) =>
    Object.entries(objectAt(schema, key)).map(([name, inner]) => [inner, [key, name]] as const),
  );
  const lists = ['anyOf', 'oneOf', 'allOf'].flatMap((key) =>
    objectsIn(schema[key]).map((inner, i) => [inner, [key, String(i)]] as const),
  );
  const items = isObject(schema['items']) ? [[schema['items'], ['items']] as const] : [];
  return [...maps, ...lists, ...items];
}

function invalid(message: string): Rejection {
  return { status: 400, type: 'invalid_request_error', message };
}
