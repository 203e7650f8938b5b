import { filesDigest } from '@onceover/base/kernel/ids';
import { bytesOf, digest, passFile, passStatement, waiverStatement } from '@onceover/testing/passes.ts';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readStatement, type StatementProblem, statementKey, writeStatement } from '../src/json-statement.ts';
import { passStatementSchema, waiverStatementSchema } from '../src/json-statement-schema.ts';
import type { PassStatement, WaiverStatement } from '../src/types.ts';

const pass = bytesOf(passStatement()).toString();
const waiver = bytesOf(waiverStatement()).toString();

describe('writeStatement', () => {
  test('writes an in-toto statement about the content of a gate', () => {
    expect(JSON.parse(pass)).toMatchObject({
      _type: 'https://in-toto.io/Statement/v1',
      subject: [{ name: 'review:src:code-quality@1', digest: { sha256: passStatement().content } }],
      predicateType: 'urn:onceover:pass/v2',
      predicate: {
        gate: 'review:src:code-quality',
        prompt_digest: digest('prompt'),
        files: [{ path: 'src/cart.ts', base_mode: null }, { path: 'src/total.ts' }],
        usage: { input_tokens: 1200, cost_usd: 0.0123 },
        files_opened: ['src/cart.ts'],
      },
    });
    expect(pass.endsWith('}\n')).toBe(true);
  });

  test('writes an in-toto statement about a finding', () => {
    expect(JSON.parse(waiver)).toMatchObject({
      subject: [{ name: 'review:src:code-quality', digest: { sha256: waiverStatement().finding } }],
      predicateType: 'urn:onceover:waiver/v1',
      predicate: { by: 'Dev', why: 'Rounding happens in the shop.', waived_at: '2026-11-17T12:00:00.000Z' },
    });
  });

  test('writes the same bytes whatever the order of the fields', () => {
    const reverseKeys = (value: unknown): unknown => {
      if (Array.isArray(value)) return value.map(reverseKeys);
      if (typeof value !== 'object' || value === null) return value;
      return Object.fromEntries(
        Object.entries(value)
          .reverse()
          .map(([key, item]) => [key, reverseKeys(item)]),
      );
    };
    expect(bytesOf(reverseKeys(passStatement()) as PassStatement).toString()).toBe(pass);
    expect(bytesOf(reverseKeys(waiverStatement()) as WaiverStatement).toString()).toBe(waiver);
  });

  test('writes what the published schemas allow', () => {
    expect(passStatementSchema.safeParse(JSON.parse(pass)).error).toBeUndefined();
    expect(waiverStatementSchema.safeParse(JSON.parse(waiver)).error).toBeUndefined();
    expect(passStatementSchema.safeParse(JSON.parse(waiver)).success).toBe(false);
  });

  test('does not write what no one could read', () => {
    const files = Array.from({ length: 1000 }, (_, i) => passFile(`src/file-${i}.ts`));
    expect(writeStatement(passStatement({ files }))).toEqual({ ok: false, why: 'too-large', field: null });
    expect(writeStatement(passStatement({ agent: '' }))).toEqual({ ok: false, why: 'wrong-value', field: 'agent' });
    expect(writeStatement(waiverStatement({ file: null }))).toEqual({ ok: false, why: 'wrong-value', field: 'file' });
  });
});

describe('readStatement', () => {
  const line = fc.string({ minLength: 1, maxLength: 40 }).filter((text) => !/[\p{Cc}\p{Zl}\p{Zp}]/u.test(text));
  const hex = fc.nat().map((n) => digest(String(n)));
  const path = fc.stringMatching(/^[a-zé]{1,8}(\/[a-z _-]{1,8}){0,3}$/);
  const files = fc
    .uniqueArray(path, { minLength: 1, maxLength: 6 })
    .map((paths) =>
      paths.map((filePath, i) => passFile(filePath, i % 2 === 0 ? {} : { baseBlob: null, baseMode: '100755' })),
    );
  const anyPass = fc
    .record({
      gate: line,
      slot: fc.integer({ min: 1, max: 9 }),
      files,
      promptDigest: hex,
      referencesDigest: fc.option(hex),
      contextDigest: fc.option(hex),
      settings: fc.dictionary(fc.stringMatching(/^[a-z]{1,8}([A-Z][a-z]{1,8})?$/), line, { maxKeys: 3 }),
      model: fc.option(line),
      session: fc.constantFrom('new' as const, 'resumed' as const),
      filesOpened: fc.option(fc.array(fc.string({ unit: 'grapheme' }))),
      durationMs: fc.nat(),
      usage: fc.constantFrom(null, passStatement().usage),
      waived: fc.uniqueArray(hex, { maxLength: 3 }),
      passedAt: fc
        .date({ min: new Date('2000-01-01'), max: new Date('2100-01-01'), noInvalidDate: true })
        .map((date) => date.toISOString()),
    })
    .map((changes) => passStatement(changes));

  test('reads back every pass that was written', () => {
    fc.assert(
      fc.property(anyPass, (statement) => {
        expect(readStatement(bytesOf(statement))).toEqual({ ok: true, statement });
        expect(statementKey(statement)).toBe(filesDigest(statement.files));
      }),
    );
  });

  test('reads a pass of an older version, which does not name its whole subject', () => {
    const { referencesDigest: _, contextDigest: __, settings: ___, ...older } = passStatement();
    const bytes = bytesOf(older);
    expect(bytes.toString()).toContain('"predicateType":"urn:onceover:pass/v1"');
    expect(readStatement(bytes)).toEqual({ ok: true, statement: older });
  });

  test('reads back every waiver that was written', () => {
    const text = fc.string({ unit: 'grapheme', minLength: 1 }).map((words) => `.${words}`);
    fc.assert(
      fc.property(fc.record({ issue: text, why: text, by: line, file: path, finding: hex }), (changes) => {
        const statement = waiverStatement(changes);
        expect(readStatement(bytesOf(statement))).toEqual({ ok: true, statement });
      }),
    );
  });

  test('a statement with one other byte is refused, or says something else', () => {
    const bytes = bytesOf(passStatement());
    fc.assert(
      fc.property(fc.nat(bytes.length - 2), fc.integer({ min: 1, max: 255 }), (at, by) => {
        const changedBytes = Buffer.from(bytes);
        changedBytes[at] = (changedBytes[at] ?? 0) ^ by;
        const result = readStatement(changedBytes);
        if (result.ok) expect(result.statement).not.toEqual(passStatement());
      }),
      { numRuns: 500 },
    );
  });

  test('never throws', () => {
    fc.assert(fc.property(fc.uint8Array(), (junk) => !readStatement(junk).ok));
    fc.assert(fc.property(fc.json(), (junk) => !readStatement(Buffer.from(junk)).ok));
  });

  const substitute = (from: string | RegExp, to: string) => pass.replace(from, to);
  const field = (name: string, json: string) =>
    pass.replace(new RegExp(`"${name}":("[^"]*"|[\\d.]+|null|\\[[^\\]]*\\])`), `"${name}":${json}`);
  const rows: readonly [title: string, text: string | Buffer, why: StatementProblem, field?: string][] = [
    ['64 KiB of spaces after it', pass + ' '.repeat(64 * 1024), 'too-large'],
    ['a byte that is not UTF-8', Buffer.concat([Buffer.from(pass), Buffer.from([0xff])]), 'not-utf8'],
    ['an overlong slash', Buffer.from(pass.replace('src/cart', 'src\xc0\xafcart'), 'latin1'), 'not-utf8'],
    ['UTF-16', Buffer.from(pass, 'utf16le'), 'not-json'],
    ['a byte order mark', `\ufeff${pass}`, 'not-json'],
    ['nothing', '', 'not-json'],
    ['a second document', pass + pass, 'not-json'],
    ['a comment', `// pass\n${pass}`, 'not-json'],
    ['30,000 open brackets', '['.repeat(30_000), 'not-json'],
    ['NaN', field('duration_ms', 'NaN'), 'not-json'],
    ['a list', `[${pass}]`, 'not-a-statement'],
    ['a text', '"pass"', 'not-a-statement'],
    ['version 0.1 of in-toto', substitute('Statement/v1', 'Statement/v0.1'), 'not-a-statement'],
    ['no _type', substitute(/"_type":"[^"]*",/, ''), 'not-a-statement'],
    ['the gate twice', substitute('"slot":1', '"slot":1,"gate":"review:src:other"'), 'duplicate-key', 'gate'],
    [
      'the gate twice, once with an escape',
      substitute('"slot":1', '"slot":1,"g\\u0061te":"x"'),
      'duplicate-key',
      'gate',
    ],
    [
      'the predicate twice',
      substitute('"predicateType"', '"predicate":{},"predicateType"'),
      'duplicate-key',
      'predicate',
    ],
    ['a key twice in a file', substitute('"mode":', '"path":"src/x.ts","mode":'), 'duplicate-key', 'path'],
    ['a mark as its kind', substitute('urn:onceover:pass/v2', 'urn:onceover:mark/v1'), 'unknown-kind'],
    ['version 3 of a pass', substitute('pass/v2', 'pass/v3'), 'unknown-kind'],
    ['the fields of version 2 as version 1', substitute('pass/v2', 'pass/v1'), 'unknown-field', 'references_digest'],
    ['no settings', substitute('"settings":{},', ''), 'missing-field', 'settings'],
    [
      'a setting that is not a text',
      substitute('"settings":{}', '"settings":{"fail_on":1}'),
      'wrong-value',
      'settings',
    ],
    ['the kind of a waiver', substitute('urn:onceover:pass/v2', 'urn:onceover:waiver/v1'), 'unknown-field'],
    ['a kind that is a name of JavaScript', substitute('urn:onceover:pass/v2', 'constructor'), 'unknown-kind'],
    ['another field in the statement', substitute('"predicate":', '"note":1,"predicate":'), 'unknown-field', 'note'],
    ['another field in the predicate', substitute('"slot":1', '"slot":1,"marked":true'), 'unknown-field', 'marked'],
    ['another field in a file', substitute('"mode":', '"size":1,"mode":'), 'wrong-value', 'files'],
    ['another field in the usage', substitute('"input_tokens"', '"tokens":1,"input_tokens"'), 'wrong-value', 'usage'],
    ['another field in the subject', substitute('"digest":', '"uri":"x","digest":'), 'wrong-value', 'subject'],
    ['a second digest of the subject', substitute('"sha256":', '"sha1":"x","sha256":'), 'wrong-value', 'subject'],
    ['a field in camel case', substitute('"prompt_digest"', '"promptDigest"'), 'unknown-field', 'promptDigest'],
    ['a prototype', substitute('"slot":1', '"slot":1,"__proto__":{"slot":2}'), 'unknown-field', '__proto__'],
    ['no scope', substitute('"scope":"full",', ''), 'missing-field', 'scope'],
    ['no list of waived findings', substitute(/,"waived":\[\]/, ''), 'missing-field', 'waived'],
    ['no subject', substitute(/"subject":\[.*?\],/, '"subject":[],'), 'wrong-value', 'subject'],
    ['two subjects', substitute(/"subject":\[(.*?)\],/, '"subject":[$1,$1],'), 'wrong-value', 'subject'],
    ['the subject of another gate', substitute('code-quality@1', 'security@1'), 'subject-differs', 'subject'],
    ['the subject of another slot', substitute('code-quality@1', 'code-quality@2'), 'subject-differs', 'subject'],
    ['the subject of other content', substitute(passStatement().content, digest('x')), 'subject-differs', 'subject'],
    ['other content', pass.replaceAll(passStatement().content, digest('x')), 'subject-differs', 'files'],
    ['another file than its content', pass.replace('src/total.ts', 'src/auth.ts'), 'subject-differs', 'files'],
    ['a file less than its content', pass.replace(/,\{"path":"src\/total.*?\}/, ''), 'subject-differs', 'files'],
    ['another mode than its content', pass.replace('"mode":"100644"', '"mode":"100755"'), 'subject-differs', 'files'],
    ['no files', field('files', '[]'), 'wrong-value', 'files'],
    ['a file twice', pass.replaceAll('src/total.ts', 'src/cart.ts'), 'wrong-value', 'files'],
    ['a path that leaves the repository', pass.replace('src/total.ts', '../total.ts'), 'wrong-value', 'files'],
    ['an absolute path', pass.replace('src/total.ts', '/src/total.ts'), 'wrong-value', 'files'],
    ['a path with a detour', pass.replace('src/total.ts', 'src/./total.ts'), 'wrong-value', 'files'],
    ['a path with a NUL', pass.replace('src/total.ts', 'src/\\u0000.ts'), 'wrong-value', 'files'],
    ['an empty path', pass.replace('src/total.ts', ''), 'wrong-value', 'files'],
    ['a short blob', pass.replace(/"head_blob":"[^"]*"/, '"head_blob":"abc"'), 'wrong-value', 'files'],
    ['a digest in capitals', field('prompt_digest', `"${'A'.repeat(64)}"`), 'wrong-value', 'prompt_digest'],
    ['a digest with a line break', field('prompt_digest', `"${'a'.repeat(64)}\\n"`), 'wrong-value', 'prompt_digest'],
    ['slot 0', substitute('"slot":1', '"slot":0'), 'wrong-value', 'slot'],
    ['slot 1.5', substitute('"slot":1', '"slot":1.5'), 'wrong-value', 'slot'],
    ['a slot in quotes', substitute('"slot":1', '"slot":"1"'), 'wrong-value', 'slot'],
    ['a negative duration', substitute(/"duration_ms":\d+/, '"duration_ms":-1'), 'wrong-value', 'duration_ms'],
    ['an infinite duration', substitute(/"duration_ms":\d+/, '"duration_ms":1e999'), 'wrong-value', 'duration_ms'],
    ['the session of a mark', field('session', '"marked"'), 'wrong-value', 'session'],
    ['a time without a zone', field('passed_at', '"2026-11-17T12:00:00.000"'), 'wrong-value', 'passed_at'],
    ['a time with another zone', field('passed_at', '"2026-11-17T12:00:00.000+02:00"'), 'wrong-value', 'passed_at'],
    ['the 30th of February', field('passed_at', '"2026-02-30T12:00:00.000Z"'), 'wrong-value', 'passed_at'],
    [
      'a time with six digits for the year',
      field('passed_at', '"+010000-01-01T00:00:00.000Z"'),
      'wrong-value',
      'passed_at',
    ],
    ['a number as its time', field('passed_at', '1790000000000'), 'wrong-value', 'passed_at'],
    ['a line break in the name of the agent', field('agent', '"claude\\nforged"'), 'wrong-value', 'agent'],
    ['an escape code in the name of the model', field('model', '"\\u001b[2Jsonnet"'), 'wrong-value', 'model'],
    ['half of a surrogate pair', field('agent', '"\\ud800"'), 'wrong-value', 'agent'],
    ['a waived finding twice', field('waived', `["${digest('f')}","${digest('f')}"]`), 'wrong-value', 'waived'],
    ['a waived finding that is not a digest', field('waived', '["F1"]'), 'wrong-value', 'waived'],
    ['an object as files_opened', field('files_opened', '{}'), 'wrong-value', 'files_opened'],
    ['a waiver without a reason', waiver.replace('Rounding happens in the shop.', ' '), 'wrong-value', 'why'],
    [
      'a waiver of another gate than its subject',
      waiver.replace('"gate":"review:src:code-quality"', '"gate":"x"'),
      'subject-differs',
      'subject',
    ],
    [
      'a waiver of another finding than its subject',
      waiver.replace(waiverStatement().finding, digest('x')),
      'subject-differs',
      'subject',
    ],
  ];
  test.each(rows)('refuses a statement with %s', (_title, text, why, at) => {
    const bytes = typeof text === 'string' ? Buffer.from(text) : text;
    expect(bytes.equals(Buffer.from(pass)) || bytes.equals(Buffer.from(waiver))).toBe(false);
    expect(readStatement(bytes)).toEqual({ ok: false, why, field: at ?? (expect.toSatisfy(() => true) as unknown) });
  });
});
