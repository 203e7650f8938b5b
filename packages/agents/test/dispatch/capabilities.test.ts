import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ResumeResult } from '@onceover/base/kernel/agent';
import { temporaryFolder } from '@onceover/testing/repo.ts';
import { expect, test } from 'vitest';
import { openCapabilities } from '../../src/dispatch/resume-probe.ts';

const result = (agent: string, version: string, failure: ResumeResult['failed'] = null): ResumeResult => ({
  agent,
  version,
  failed: failure,
  freshMs: 12,
  resumedMs: null,
});

test('keeps one probe result per version for the next process', async () => {
  const folder = temporaryFolder();
  const bad = { test: 'V2', how: 'an error' } as const;
  expect(await openCapabilities(folder).probed()).toEqual([]);
  await openCapabilities(folder).keep(result('claude', '1.0.0', bad));
  await openCapabilities(folder).keep(result('claude', '1.0.1'));
  await openCapabilities(folder).keep(result('codex', '1.0.0'));
  await openCapabilities(folder).keep(result('claude', '1.0.0'));
  expect(await openCapabilities(folder).probed()).toEqual([
    result('claude', '1.0.1'),
    result('codex', '1.0.0'),
    result('claude', '1.0.0'),
  ]);
});

test.each([
  ['{', []],
  ['{}', []],
  ['[1, null, {"agent": "claude"}, {"agent":"a","version":"1","failed":3,"freshMs":null,"resumedMs":null}]', []],
  ['[{"agent":"a","version":"1","failed":null,"freshMs":"soon","resumedMs":null}]', []],
])('a broken file says nothing: %s', async (text, results) => {
  const folder = temporaryFolder();
  mkdirSync(join(folder, 'onceover'));
  writeFileSync(join(folder, 'onceover/capabilities.json'), text);
  expect(await openCapabilities(folder).probed()).toEqual(results);
});

test('fails if the folder cannot be created', async () => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'onceover'), '');
  expect(await openCapabilities(folder).keep(result('claude', '1.0.0'))).toMatchObject({ ok: false });
});
