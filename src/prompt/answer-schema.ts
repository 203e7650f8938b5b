import * as z from 'zod';
import { isRecord } from '../domain/is-record.ts';
import { ANSWER_SCHEMAS, type AnswerKind } from './answers.ts';

export type JsonSchema = { readonly [key: string]: unknown };

/** The JSON schema of an answer, as most agents take it. What else comes is read all the same, but not asked for. */
export function answerSchema(kind: AnswerKind): JsonSchema {
  const known = made.get(kind) ?? jsonSchema(ANSWER_SCHEMAS[kind]);
  made.set(kind, known);
  return known;
}

const made = new Map<AnswerKind, JsonSchema>();

/** The JSON schema of whatever is asked for. */
export function jsonSchema(asked: z.ZodType): JsonSchema {
  const { $schema: _left, ...schema } = z.toJSONSchema(asked, {
    io: 'input',
    override: ({ jsonSchema }) => {
      if (jsonSchema.type === 'object') jsonSchema.additionalProperties = false;
    },
  });
  return schema;
}

/** The same for OpenAI's strict mode, which has no optional fields: they are required, and may be null. */
export function strictSchema(schema: JsonSchema): JsonSchema {
  return strict(schema) as JsonSchema;
}

const LEFT_OUT = ['minLength', 'maxLength', 'pattern', 'minimum', 'maximum', 'default', 'minItems', 'maxItems'];

function strict(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(strict);
  if (!isRecord(value)) return value;
  const inner = Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => !LEFT_OUT.includes(key))
      .map(([key, one]) => [key, key === 'properties' ? one : strict(one)]),
  );
  const properties = value['properties'];
  if (!isRecord(properties)) return inner;
  const required = Array.isArray(value['required']) ? value['required'] : [];
  return {
    ...inner,
    properties: Object.fromEntries(
      Object.entries(properties).map(([name, one]) => [
        name,
        required.includes(name) ? strict(one) : orNull(strict(one)),
      ]),
    ),
    required: Object.keys(properties),
    additionalProperties: false,
  };
}

function orNull(schema: unknown): unknown {
  if (isRecord(schema) && Array.isArray(schema['anyOf'])) {
    const already = schema['anyOf'].some((one) => isRecord(one) && one['type'] === 'null');
    return already ? schema : { ...schema, anyOf: [...schema['anyOf'], { type: 'null' }] };
  }
  return { anyOf: [schema, { type: 'null' }] };
}
