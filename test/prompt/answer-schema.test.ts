import { expect, test } from 'vitest';
import { answerSchema, type JsonSchema, strictSchema } from '../../src/prompt/answer-schema.ts';

function objectsIn(schema: unknown): JsonSchema[] {
  if (typeof schema !== 'object' || schema === null) return [];
  const inner = Object.values(schema).flatMap(objectsIn);
  return 'properties' in schema ? [schema as JsonSchema, ...inner] : inner;
}

test.each(['gate', 'loop', 'quality', 'fixer'] as const)(
  'the strict schema of a %s answer has no optional field',
  (kind) => {
    const objects = objectsIn(strictSchema(answerSchema(kind)));
    expect(objects.length).toBeGreaterThan(0);
    for (const one of objects) {
      expect(one['additionalProperties']).toBe(false);
      expect(one['required']).toEqual(Object.keys(one['properties'] as object));
    }
  },
);

test('what was optional may be null, what was required may not', () => {
  const schema = strictSchema(answerSchema('gate')) as { properties: Record<string, unknown> };
  expect(schema.properties['message']).toEqual({ anyOf: [{ type: 'string' }, { type: 'null' }] });
  expect(schema.properties['status']).toMatchObject({ type: 'string', enum: ['pass', 'fail'] });
});

test('limits that strict mode does not know are left out', () => {
  expect(JSON.stringify(answerSchema('gate'))).toContain('"minimum"');
  expect(JSON.stringify(strictSchema(answerSchema('gate')))).not.toMatch(/minimum|maximum|pattern|default/);
});
