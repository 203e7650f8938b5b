import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { RepoPath } from '@onceover/base/kernel/ids';
import { memoryPhaseLogs } from '@onceover/testing/memory/phase-logs.ts';
import { temporaryFolder } from '@onceover/testing/repo.ts';
import { describe, expect, test } from 'vitest';
import type { PhaseLogs } from '../../../src/phases/record/store.ts';
import { openPhaseLogs } from '../../../src/phases/record/store.ts';

type Opened = { readonly logs: PhaseLogs; written(): Readonly<Record<string, string>> };

phaseLogsContract('in memory', () => {
  const logs = memoryPhaseLogs();
  return { logs, written: () => Object.fromEntries(logs.written) };
});

phaseLogsContract('on disk', () => {
  const root = temporaryFolder();
  const folder = join(root, '.deepwork/logs/phases');
  return {
    logs: openPhaseLogs(root, '.deepwork/logs' as RepoPath),
    written() {
      const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.log'));
      return Object.fromEntries(names.map((name) => [name.slice(0, -4), readFileSync(join(folder, name), 'utf8')]));
    },
  };
});

/** The contract of every implementation of PhaseLogs. */
function phaseLogsContract(name: string, open: () => Opened): void {
  const RUN = { id: 'loop-1', phase: 'specify' } as const;
  const fine = { ok: true, value: undefined };

  describe(`phase logs ${name}`, () => {
    test('each run of a phase has its own logs, and the last text under a name counts', async () => {
      const { logs, written } = open();
      expect(await logs.write(RUN, '01_spec-reviewer', 'old')).toEqual(fine);
      expect(await logs.write(RUN, '01_spec-reviewer', 'ä\r\n')).toEqual(fine);
      expect(await logs.write(RUN, '01_implementer', 'fix')).toEqual(fine);
      expect(await logs.write({ ...RUN, id: 'loop-2' }, '01_spec-reviewer', 'other')).toEqual(fine);
      expect(written()).toEqual({
        'specify_loop-1/01_spec-reviewer': 'ä\r\n',
        'specify_loop-1/01_implementer': 'fix',
        'specify_loop-2/01_spec-reviewer': 'other',
      });
    });
  });
}
