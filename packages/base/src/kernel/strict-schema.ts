import { isRecord } from './json.ts';

/**
 * Returns the JSON schema in a form that OpenAI's strict mode accepts. Strict mode has no optional fields, so these
 * become required fields that may be `null`.
 */
export function strictSchema(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(strictSchema);
  if (!isRecord(value)) return value;
  const inner = Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => !UNSUPPORTED.includes(key))
      .map(([key, one]) => [key, key === 'properties' ? one : strictSchema(one)]),
  );
  const properties = value['properties'];
  if (!isRecord(properties)) return inner;
  const required = Array.isArray(value['required']) ? value['required'] : [];
  return {
    ...inner,
    properties: Object.fromEntries(
      Object.entries(properties).map(([name, one]) => [
        name,
        required.includes(name) ? strictSchema(one) : orNull(strictSchema(one)),
      ]),
    ),
    required: Object.keys(properties),
    additionalProperties: false,
  };
}

const UNSUPPORTED = ['minLength', 'maxLength', 'pattern', 'minimum', 'maximum', 'default', 'minItems', 'maxItems'];

function orNull(schema: unknown): unknown {
  if (isRecord(schema) && Array.isArray(schema['anyOf'])) {
    const already = schema['anyOf'].some((one) => isRecord(one) && one['type'] === 'null');
    return already ? schema : { ...schema, anyOf: [...schema['anyOf'], { type: 'null' }] };
  }
  return { anyOf: [schema, { type: 'null' }] };
}

/**
 * Returns the JSON schema without limits such as `maxLength`, which structured output does not support. onceover checks
 * answers against these limits itself.
 */
export function plainSchema(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plainSchema);
  if (!isRecord(value)) return value;
  const entries = Object.entries(value).filter(([key]) => !UNSUPPORTED.includes(key));
  return Object.fromEntries(entries.map(([key, one]) => [key, key === 'properties' ? eachOf(one) : plainSchema(one)]));
}

// A property can have the same name as a schema keyword, such as "pattern", so do not filter the names of properties.
function eachOf(properties: unknown): unknown {
  if (!isRecord(properties)) return properties;
  return Object.fromEntries(Object.entries(properties).map(([name, one]) => [name, plainSchema(one)]));
}
