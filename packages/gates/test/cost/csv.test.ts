import { ledgerFix, ledgerLoop, ledgerRun, ledgerSlot, ledgerStep } from '@onceover/testing/ledger-samples.ts';
import { usage } from '@onceover/testing/run-samples.ts';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { costCsv, csv } from '../../src/cost/csv.ts';
import { costRows } from '../../src/cost/rows.ts';

describe('csv', () => {
  test.each([
    ['plain', 'plain'],
    ['', ''],
    ['a,b', '"a,b"'],
    ['say "no"', '"say ""no"""'],
    ['two\nlines', '"two\nlines"'],
    ['=1+1', "'=1+1"],
    ['+1', "'+1"],
    ['-1', "'-1"],
    ['@SUM(A1)', "'@SUM(A1)"],
    ['\t=1', "'\t=1"],
    [' =1', "' =1"],
    ['＝1', "'＝1"],
    ['=HYPERLINK("x","y")', '"\'=HYPERLINK(""x"",""y"")"'],
    ['a=1', 'a=1'],
  ])('writes %j as %j', (text, expected) => {
    expect(csv([[text]])).toBe(`${expected}\r\n`);
  });

  test('writes numbers, and null as an empty cell', () => {
    expect(csv([[1, 0.5, null, 'x']])).toBe('1,0.5,,x\r\n');
  });

  const cell = fc.oneof(
    fc.string({ unit: fc.oneof(fc.constantFrom('"', ',', '\r', '\n', '=', "'", '@'), fc.string({ maxLength: 1 })) }),
    fc.nat(),
  );
  test('can be read back, and contains no formula', () => {
    fc.assert(
      fc.property(fc.array(fc.array(cell, { minLength: 2, maxLength: 4 }), { maxLength: 5 }), (rows) => {
        const read = readCsv(csv(rows));
        expect(
          read.map((row) => row.map((one) => one.replace(/^'(?=\s*[=+\-@\t\r\uff1d\uff0b\uff0d\uff20])/u, ''))),
        ).toEqual(
          rows.map((row) => row.map((one) => String(one).replace(/^'(?=\s*[=+\-@\t\r\uff1d\uff0b\uff0d\uff20])/u, ''))),
        );
        for (const row of read) for (const one of row) expect(one).not.toMatch(/^[=+\-@\t\r]/);
      }),
    );
  });
});

test('writes a row per review, fix, call of a phase and review of a step', () => {
  const slots = [
    ledgerSlot({ usage: usage({ costUsd: 0.1 + 0.2 }), model: 'm' }),
    ledgerSlot({ slot: 2, usage: null, status: 'error', dispatch: 'resumed', why: 'delta' }),
  ];
  const rows = costRows(
    [ledgerRun({ slots, branch: '=evil', scope: 'full' }), ledgerFix(), ledgerLoop(), ledgerStep()],
    () => null,
  );
  expect(costCsv(rows).split('\r\n')).toEqual([
    'at,branch,scope,iteration,started_by,gate,slot,agent,model,dispatch,why,status,dispatches,input_tokens,cached_input_tokens,cache_write_tokens,output_tokens,cost_usd,cost_source,duration_ms,feature,phase,stage,role,template,final_validation,prompt_chars,fresh_chars,job,step',
    "2026-03-01T12:00:00.000Z,'=evil,full,1,person,review:src:code-quality,1,claude,m,fresh,first-run,pass,1,100,0,0,20,0.3,agent,1500,,,,,,,,,,",
    "2026-03-01T12:00:00.000Z,'=evil,full,1,person,review:src:code-quality,2,claude,,resumed,delta,error,1,,,,,,,1500,,,,,,,,,,",
    '2026-03-01T12:01:00.000Z,work,,,person,,,claude,,fresh,,,1,100,0,0,20,,,4000,,,,,,,,,,',
    '2026-03-01T12:02:00.000Z,work,,1,person,,,claude,,fresh,first-look,fail,1,100,0,0,20,,,3000,specs/login,specify,domain,spec-reviewer,I1-R4,false,8000,8000,,',
    '2026-03-01T12:03:00.000Z,work,,,agent,,,claude,,fresh,,done,1,100,0,0,20,,,2500,,,,,,,,,report,draft',
    '',
  ]);
});

/** Parses a table in the format of RFC 4180. */
function readCsv(text: string): string[][] {
  const rows: string[][] = [];
  let row: string[] = [];
  let at = 0;
  while (at < text.length) {
    const quoted = /"((?:[^"]|"")*)"/y;
    const plain = /[^",\r\n]*/y;
    const pattern = text[at] === '"' ? quoted : plain;
    pattern.lastIndex = at;
    const found = pattern.exec(text);
    if (found === null) throw new Error(`cannot be read at ${at}`);
    row.push(pattern === quoted ? (found[1] ?? '').replaceAll('""', '"') : found[0]);
    at = pattern.lastIndex;
    if (text[at] === ',') at++;
    else if (text.startsWith('\r\n', at)) {
      at += 2;
      rows.push(row);
      row = [];
    } else throw new Error(`cannot be read at ${at}`);
  }
  return rows;
}
