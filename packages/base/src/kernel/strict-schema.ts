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
      .map(([key, child]) => [key, key === 'properties' ? child : strictSchema(child)]),
  );
  const properties = value['properties'];
  if (!isRecord(properties)) return inner;
  const requiredNames = Array.isArray(value['required']) ? value['required'] : [];
  return {
    ...inner,
    properties: Object.fromEntries(
      Object.entries(properties).map(([name, schema]) => [
        name,
        requiredNames.includes(name) ? strictSchema(schema) : orNull(strictSchema(schema)),
      ]),
    ),
    required: Object.keys(properties),
    additionalProperties: false,
  };
}

const UNSUPPORTED = ['minLength', 'maxLength', 'pattern', 'minimum', 'maximum', 'default', 'minItems', 'maxItems'];

function orNull(schema: unknown): unknown {
  if (isRecord(schema) && Array.isArray(schema['anyOf'])) {
    const already = schema['anyOf'].some((option) => isRecord(option) && option['type'] === 'null');
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
  return Object.fromEntries(
    entries.map(([key, child]) => [key, key === 'properties' ? eachOf(child) : plainSchema(child)]),
  );
}

// A property can have the same name as a schema keyword, such as "pattern", so do not filter the names of properties.
function eachOf(properties: unknown): unknown {
  if (!isRecord(properties)) return properties;
  return Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, plainSchema(schema)]));
}
