import { findingWith } from '@onceover/testing/finding.ts';
import { temporaryFolder } from '@onceover/testing/repo.ts';
import { expect, test } from 'vitest';
import { openFindings } from '../../src/findings/open-findings.ts';

// If the store listed its folder for every finding, this would take 26 s. CPU time hardly depends on the load.
test('4,000 findings are stored within seconds of CPU time', async () => {
  const findings = openFindings(temporaryFolder());
  const before = process.cpuUsage();
  await findings.add(Array.from({ length: 4000 }, (_, n) => findingWith({ since: n + 1 })));
  const { user, system } = process.cpuUsage(before);
  expect((user + system) / 1e6).toBeLessThan(12);
}, 60_000);
