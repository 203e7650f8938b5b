import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Gate } from '../../../src/gate-types.ts';
import { gateNames } from '../../../src/run/decide/cycles.ts';
import { gateFileName, numberIn, recordNames, slotFileName, slotStem } from '../../../src/run/record/record-names.ts';

const named = (...ids: string[]) =>
  gateNames(ids.map((id) => ({ id, kind: id.slice(0, id.indexOf(':')) as Gate['kind'] })));

/** Returns the owner of a file as "gate agent@slot.iteration". */
const owner = (fileName: string, ...ids: string[]) => {
  const read = recordNames(named(...ids))(fileName);
  if (read === null) return null;
  return read.kind === 'slot' ? `${read.gate} ${read.agent}@${read.slot}.${read.iteration}` : read.gate;
};

describe('file names', () => {
  const at = (agent: string, slot = 1) => ({ agent, slot, iteration: 12 });

  test.each([
    ['a simple agent name', 'codex', 'codex'],
    ['special characters in the agent name', 'my agent@home/ä', 'my_agent_home__'],
    ['a long agent name', 'x'.repeat(100), 'x'.repeat(60)],
  ])('of a slot with %s', (_, agent, part) => {
    expect(slotFileName('review_src_a', at(agent, 2), 'json')).toBe(`review_src_a_${part}@2.12.json`);
    expect(slotFileName('review_src_a', at(agent), 'log')).toBe(`review_src_a_${part}@1.12.log`);
  });

  test('of a check, and of a gate’s decisions', () => {
    expect(gateFileName('check_._lint', 3, 'json')).toBe('check_._lint.3.json');
    expect(gateFileName('review_src_a', 10, 'log')).toBe('review_src_a.10.log');
  });

  test('fit the limit of file systems', () => {
    const [gate] = named(`review:${'ä/'.repeat(200)}:x`);
    const name = slotFileName(gate?.stem ?? '', { agent: 'a'.repeat(300), slot: 20, iteration: 999_999_999 }, 'json');
    expect(Buffer.byteLength(name)).toBeLessThanOrEqual(255);
  });
});

describe('the owner of a file', () => {
  const both = ['review:src:code', 'review:src:code_quality'];

  test.each<[string, string, string[], string | null]>([
    ['a slot record', 'review_src_code_codex@1.2.json', both, 'review:src:code codex@1.2'],
    ['the longest stem wins', 'review_src_code_quality_codex@1.2.json', both, 'review:src:code_quality codex@1.2'],
    ['a name of several parts', 'review_src_code_my_agent@2.10.log', both, 'review:src:code my_agent@2.10'],
    [
      'only another gate is known',
      'review_src_code_quality_codex@1.2.json',
      ['review:src:code'],
      'review:src:code quality_codex@1.2',
    ],
    ['a rule', 'rule_._r_src_a.py_claude@1.1.json', ['rule:.:r:src/a.py'], 'rule:.:r:src/a.py claude@1.1'],
    ['an unknown gate', 'review_lib_code_codex@1.2.json', both, 'null codex@1.2'],
    ['no agent', 'review_src_code_@1.2.json', ['review:src:code', 'review:src:other'], 'null @1.2'],
    ['no agent, one review', 'review_src_@1.2.json', ['review:src:code'], 'null @1.2'],
    ['a check', 'check_._lint.3.json', ['check:.:lint'], 'check:.:lint'],
    ['a check with numbers in its name', 'check_._lint.3.4.log', ['check:.:lint', 'check:.:lint.3'], 'check:.:lint.3'],
    ['a check with a slot is not a record', 'check_._lint_codex@1.3.json', ['check:.:lint'], null],
    ['decisions', 'review_src_code.3.log', both, 'review:src:code'],
    ['decisions in a JSON file are not a record', 'review_src_code.3.json', both, null],
    ['decisions of an unknown gate', 'review_lib_code.3.log', both, null],
    ['a stem alone', 'review_codex@1.2.json', ['review:src:code'], 'null codex@1.2'],
  ])('%s: %s', (_, fileName, ids, expected) => {
    expect(owner(fileName, ...ids)).toBe(expected);
  });

  test.each<[string, string[], string | null]>([
    ['review_src_codex@1.2.json', ['review:src:code-quality'], 'review:src:code-quality'],
    ['review_src_codex@1.2.json', ['review:src:code-quality', 'review:lib:code-quality'], 'review:src:code-quality'],
    ['review_src_codex@1.2.json', ['review:src:code-quality', 'review:src:security'], null],
    ['review_src_security_codex@1.2.json', ['review:src:code-quality'], null],
    ['review_my_src_codex@1.2.json', ['review:my/src:a'], 'review:my/src:a'],
    ['review_my_src_codex@1.2.json', ['review:my/src:a', 'review:my_src:b'], null],
    ['review_._codex@1.2.json', ['review:.:a', 'check:.:lint', 'rule:.:r'], 'review:.:a'],
    ['rule_._codex@1.2.json', ['rule:.:r'], null],
  ])(
    'a record without its gate’s name belongs to the only review of its entry: %s of %j',
    (fileName, ids, expected) => {
      expect(recordNames(named(...ids))(fileName)?.gate).toBe(expected);
    },
  );

  test.each([
    'review_src_code_codex@0.1.json',
    'review_src_code_codex@1.0.json',
    'review_src_code_codex@01.1.json',
    'review_src_code_codex@1.1234567890.json',
    'review_src_code_codex@1234567890.1.json',
    'review_src_code_codex@-1.1.json',
    'review_src_code_codex@1.1.txt',
    'review_src_code_codex@1.1.json~',
    'review_src_code_co@dex@1.1.json',
    '.review_src_code_codex@1.1.json',
    'review_@1.1.json',
    'notes.1.json',
    '.gitignore',
  ])('%s is not a record', (fileName) => {
    expect(recordNames(named(...both))(fileName)).toBeNull();
  });
});

test.each([
  ['review_src_a_codex@1.10.json', 10],
  ['check_._lint.9.log', 9],
  ['console.007.log', 7],
  ['anything.3.json', 3],
  ['.4.log', 4],
  ['a.5.txt', 0],
  ['a5.json', 0],
  ['a.1234567890.json', 0],
  ['a.999999999.json', 999_999_998],
])('the number of %s is %i', (name, number) => {
  expect(numberIn(name)).toBe(number);
});

describe('properties of file names', () => {
  const word = fc.string({ unit: fc.constantFrom('a', 'b', '_', '.', '-', '1'), minLength: 1, maxLength: 3 });
  const path = fc.string({ unit: fc.constantFrom('a', 'b', '_', '/', '*', 'ä', ':'), maxLength: 4 });
  const review = fc.tuple(fc.constantFrom('review', 'rule'), path, word).map((parts) => parts.join(':'));
  const check = fc.tuple(path, word).map(([entry, name]) => `check:${entry}:${name}`);
  const ids = fc.uniqueArray(fc.oneof(review, check), { minLength: 1, maxLength: 12 });
  const number = fc.integer({ min: 1, max: 999_999_999 });
  const ext = fc.constantFrom('log', 'json');

  test('a file name is read back as its gate, agent, slot and iteration, for any gates and agents', () => {
    fc.assert(
      fc.property(ids, fc.nat(), word, number, number, ext, (all, which, agent, slot, iteration, end) => {
        const gates = named(...all);
        const read = recordNames(gates);
        const gate = gates[which % gates.length];
        if (gate === undefined) return;
        if (gate.kind === 'check') {
          const expected = { kind: 'check', gate: gate.id, iteration, ext: end };
          expect(read(gateFileName(gate.stem, iteration, end))).toEqual(expected);
          return;
        }
        const stem = slotStem({ gate, agent }, read);
        const expected = { kind: 'slot', gate: gate.id, agent, slot, iteration, ext: end };
        expect(read(slotFileName(stem, { agent, slot, iteration }, end))).toEqual(expected);
        const decisions = { kind: 'decisions', gate: gate.id, stem: gate.stem, iteration, ext: 'log' };
        expect(read(gateFileName(gate.stem, iteration, 'log'))).toEqual(decisions);
      }),
      { numRuns: 1000 },
    );
  });

  test('two slots never share a file', () => {
    fc.assert(
      fc.property(ids, fc.array(word, { minLength: 2, maxLength: 4 }), (all, agents) => {
        const gates = named(...all).filter(({ kind }) => kind !== 'check');
        const read = recordNames(gates);
        const names = gates.flatMap((gate) =>
          agents.map((agent) => {
            const stem = slotStem({ gate, agent }, read);
            return { gate, name: slotFileName(stem, { agent, slot: 1, iteration: 1 }, 'json') };
          }),
        );
        const byName = new Map<string, string>();
        for (const { gate, name } of names) {
          expect(byName.get(name) ?? gate.id).toBe(gate.id);
          byName.set(name, gate.id);
        }
      }),
      { numRuns: 500 },
    );
  });

  test('any text can be read as a file name', () => {
    const read = recordNames(named('review:src:a', 'check:.:b'));
    const unit = fc.constantFrom('review_src_a', 'check_', '_', '@', '.', '1', 'log', 'json', '\n', '\0', 'ä');
    fc.assert(
      fc.property(fc.string({ unit }), (name) => {
        const found = read(name);
        expect(numberIn(name)).toBeGreaterThanOrEqual(found?.iteration ?? 0);
        if (found !== null) expect(name).toMatch(/^(?:review|rule|check)_.+\.\d+\.(?:log|json)$/s);
      }),
    );
  });
});
