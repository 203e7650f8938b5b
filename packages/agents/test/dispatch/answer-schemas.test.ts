import { strictSchema } from '@onceover/base/kernel/strict-schema';
import { expect, test } from 'vitest';
import { answerSchema, type JsonSchema } from '../../src/dispatch/answer-schemas.ts';

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
    for (const schema of objects) {
      expect(schema['additionalProperties']).toBe(false);
      expect(schema['required']).toEqual(Object.keys(schema['properties'] as object));
    }
  },
);

test('makes optional fields nullable and leaves required ones as they are', () => {
  const schema = strictSchema(answerSchema('gate')) as { properties: Record<string, unknown> };
  expect(schema.properties['message']).toEqual({ anyOf: [{ type: 'string' }, { type: 'null' }] });
  expect(schema.properties['status']).toMatchObject({ type: 'string', enum: ['pass', 'fail'] });
});

test('removes keywords that strict mode does not support', () => {
  expect(JSON.stringify(answerSchema('gate'))).toContain('"minimum"');
  expect(JSON.stringify(strictSchema(answerSchema('gate')))).not.toMatch(/minimum|maximum|pattern|default/);
});
