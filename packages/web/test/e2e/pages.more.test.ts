import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { onceover } from '@onceover/testing/cli.ts';
import { failing, gateRepo } from '@onceover/testing/gates.ts';
import { expect, test } from 'vitest';
import { pageSchema } from '../../src/json-schema.ts';

/** Returns the data in a page. */
function dataOf(file: string) {
  const [, tail = ''] = readFileSync(file, 'utf8').split('<script type="application/json" id="data">');
  return pageSchema.parse(JSON.parse(tail.slice(0, tail.indexOf('</script>'))));
}

const PATCH = `Title: Add a limit
Class: boundary
Place: src/limit.ts:2

diff --git a/src/limit.ts b/src/limit.ts
new file mode 100644
--- /dev/null
+++ b/src/limit.ts
@@ -0,0 +1,3 @@
+export function isAllowed(used: number): boolean {
+  return used <= 5;
+}
`;

test('prove writes a page with the document that --json prints', async () => {
  const repo = gateRepo({ agents: ['one'], numReviews: 1 });
  const folder = dirname(repo.root);
  mkdirSync(join(folder, 'cases'));
  writeFileSync(join(folder, 'cases/limit.patch'), PATCH);
  repo.answers('one', failing('src/limit.ts', 'return used <= 5;', { line: 2 }));
  const [html, markdown] = [join(folder, 'proof.html'), join(folder, 'proof.md')];
  const end = await onceover(repo.root, [
    ...['prove', '--yes', '--json', '--own', join(folder, 'cases'), '--kinds', 'own'],
    ...['--report', `html=${html}`, '--report', `markdown=${markdown}`],
  ]);
  expect(end.code, end.stderr).toBe(0);
  const { page, prove, verdict, run } = dataOf(html);
  expect({ page, run, prove }).toEqual({ page: 'prove', run: null, prove: JSON.parse(end.stdout) });
  expect(verdict[0]).toBe('Found 1 of 1 planted bug');
  expect(readFileSync(markdown, 'utf8')).toContain('# What the reviewers catch');
});

test('prove refuses other reports before any call', async () => {
  const repo = gateRepo({ agents: ['one'], numReviews: 1 });
  const wrong = await onceover(repo.root, ['prove', '--yes', '--report', 'sarif=../x']);
  expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining('html=FILE or markdown=FILE')]);
  expect(repo.calls()).toEqual([]);
});
