import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { ProveDocument } from '@onceover/prove/json';
import { usersFolder } from '@onceover/testing/agent-clis.ts';
import { onceover } from '@onceover/testing/cli.ts';
import { type ModelSim, startModelSim } from '@onceover/testing/model-sim/server.ts';
import { type AgentName, agentSettings, realPerson } from '@onceover/testing/real-person.ts';
import { answering, FINDINGS, ONE_REVIEWER } from '@onceover/testing/real-review.ts';
import { repoWith, temporaryFolder } from '@onceover/testing/repo.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';

let sim: ModelSim;
beforeAll(async () => {
  sim = await startModelSim();
});
afterAll(() => sim.close());

const PATCH = `Title: Add a limit
Class: boundary
Place: src/limit.ts:1

diff --git a/src/limit.ts b/src/limit.ts
new file mode 100644
--- /dev/null
+++ b/src/limit.ts
@@ -0,0 +1,2 @@
+export const isAllowed = (used: number) => used <= 5;
+export const limit = 5;
`;

test.each<AgentName>(['claude', 'codex'])('%s finds the bug of one case, and the answer is kept', async (agent) => {
  const label = `prove-${agent}`;
  const { env } = realPerson(temporaryFolder(usersFolder()), () => sim.baseUrl(label));
  const repo = repoWith({
    'onceover.yml': `${agentSettings([agent])}gates:\n${ONE_REVIEWER}`,
    '.onceover/reviews/code.md': 'Look for wrong results.\n',
    'src/cart.ts': 'export const cart = 1;\n',
  });
  const cases = join(dirname(repo.root), 'cases');
  mkdirSync(cases);
  writeFileSync(join(cases, 'limit.patch'), PATCH);
  const violation = { ...FINDINGS.cart, file: 'src/limit.ts', code: 'used <= 5', issue: 'The limit is one too high.' };
  sim.script(label, [answering(agent, 'fail', [violation])]);
  const args = ['prove', '--own', cases, '--kinds', 'own', '--yes', '--json'];
  const end = await onceover(repo.root, args, { env, timeoutMs: 120_000 });
  const document = JSON.parse(end.stdout) as ProveDocument;
  expect(document).toMatchObject({ end: 'done', cases: 1, new_calls: 1, left_out: { no_verdict: 0 } });
  expect(document.gates[0]?.reviewers).toMatchObject([{ slot: 1, agent, scores: { found: { count: 1, of: 1 } } }]);
  expect(document.gates[0]?.usage?.output_tokens).toBeGreaterThan(0);

  const again = await onceover(repo.root, args, { env, timeoutMs: 120_000 });
  expect(JSON.parse(again.stdout)).toMatchObject({ end: 'done', cases: 1, new_calls: 0 });
  expect(repo.git('status', '--porcelain')).toBe('');
});
