import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { slotRecord } from '@onceover/testing/record-samples.ts';
import { pageDocument, TRICKS } from '@onceover/testing/web.ts';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { fillTemplate, jsonInHtml, liveTemplate } from '../src/describe-page.ts';
import { timelinesOf } from '../src/describe-timeline.ts';
import { pageSchema } from '../src/json-schema.ts';

const TEMPLATE = `<meta content="connect-src 'none'"><script type="application/json" id="data"></script><script>0</script>`;

test('data stays inside its element, and is the same after parsing', () => {
  fc.assert(
    fc.property(fc.array(fc.oneof(fc.constantFrom(...TRICKS), fc.string({ unit: 'binary' }))), (texts) => {
      const json = jsonInHtml(texts);
      expect(json).not.toMatch(/[<>&\u2028\u2029]/);
      expect(JSON.parse(json)).toEqual(JSON.parse(JSON.stringify(texts)));
    }),
  );
});

test('a page with hostile data has as many elements as the template, and its data has the published form', () => {
  const data = pageDocument(TRICKS.join(' $& $1 '));
  const page = fillTemplate(TEMPLATE, data);
  expect(page.match(/<\w+/g)).toEqual(TEMPLATE.match(/<\w+/g));
  expect(pageSchema.parse(data)).toEqual(data);
  expect(() => fillTemplate('<p></p>', data)).toThrow('no place');
});

test('only the live view may talk to its server', () => {
  expect(liveTemplate(TEMPLATE)).toContain("connect-src 'self'");
  expect(fillTemplate(TEMPLATE, pageDocument('a'))).toContain("connect-src 'none'");
});

test('only "onceover ui" loads the server', () => {
  const packages = resolve(import.meta.dirname, '../..');
  const using = (words: string) =>
    readdirSync(packages, { recursive: true, encoding: 'utf8' })
      .filter((name) => /^\w+\/src\/.*\.ts$/.test(name) && readFileSync(join(packages, name), 'utf8').includes(words))
      .sort();
  expect(using("from 'hono")).toEqual(['web/src/routes.ts']);
  expect(using("/routes.ts'")).toEqual(['team/src/serve/run-server.ts', 'web/src/server.ts']);
  expect(using("web/server'")).toEqual(['onceover/src/api.ts']);
});

test('a timeline has a column per run, and shows runs that did not need the gate', () => {
  const gate = 'review:src:code-quality';
  const slots = [
    slotRecord({ gate, slot: 1, iteration: 1, status: 'pass', timestamp: '2026-03-01T10:00:00.000Z' }),
    slotRecord({ gate, slot: 2, iteration: 1, status: 'fail', timestamp: '2026-03-01T10:00:01.000Z' }),
    slotRecord({
      gate,
      slot: 1,
      iteration: 2,
      status: 'skipped_prior_pass',
      passIteration: 1,
      timestamp: '2026-03-01T11:00:00.000Z',
    }),
  ];
  const idle = {
    ...({ kind: 'run', at: '2026-03-01T12:00:00.000Z', durationMs: 1, startedBy: 'person', branch: 'b' } as const),
    ...({ scope: 'full', iteration: null, status: 'passed', exitCode: 0, slots: [], checks: [] } as const),
    spared: [{ gate, lever: 'pass', looks: 2, tokens: 10 }] as const,
  };
  const [timeline] = timelinesOf([gate], { slots, checks: [] }, [idle]);
  expect(
    timeline?.runs.map(({ iteration, cells }) => [iteration, cells.map(({ slot, kind }) => `${slot} ${kind}`)]),
  ).toEqual([
    [1, ['1 fresh', '2 fresh']],
    [2, ['1 skipped']],
    [null, ['null cached']],
  ]);
  // The columns of a run have the time at which the run ended, so that they line up in all gates.
  const run = { ...idle, at: '2026-03-01T10:00:09.000Z', iteration: 1, spared: [] };
  const [[first, second] = []] = [timelinesOf([gate], { slots, checks: [] }, [run])[0]?.runs];
  expect([first?.at, second?.at]).toEqual([run.at, '2026-03-01T11:00:00.000Z']);
  // A run in progress is not in the ledger yet. Its columns have the time of its newest record.
  const working = [gate, 'review:src:security'].map((name, n) =>
    slotRecord({ gate: name, slot: 1, iteration: 3, status: 'pass', timestamp: `2026-03-02T10:00:0${n}.000Z` }),
  );
  const columns = timelinesOf([gate, 'review:src:security'], { slots: working, checks: [] }, []);
  expect(columns.map(({ runs }) => runs.map(({ at }) => at))).toEqual(Array(2).fill(['2026-03-02T10:00:01.000Z']));
  expect(timeline?.runs[0]?.cells[0]?.transcript).toBe(`${gate}@1.1`);
  expect(timeline?.runs[1]?.cells[0]?.transcript).toBeNull();
});
