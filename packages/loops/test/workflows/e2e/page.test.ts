import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { onceover } from '@onceover/testing/cli.ts';
import { connectNew } from '@onceover/testing/mcp-clients.ts';
import { repoWith, temporaryFolder } from '@onceover/testing/repo.ts';
import { expect, test } from 'vitest';
import { parseJob } from '../../../src/workflows/config/load.ts';
import { stepEndSchema } from '../../../src/workflows/json-schema.ts';

const PAGE = readFileSync(resolve(import.meta.dirname, '../../../../../docs/workflows.md'), 'utf8');

test('the job on the page is valid', () => {
  const [, yaml = ''] = /```yaml\n(.*?)```/s.exec(PAGE) ?? [];
  expect(parseJob(yaml)).toMatchObject({
    ok: true,
    job: { name: 'research_report', workflows: [{ steps: [['research'], ['report']] }] },
  });
});

test('the page lists exactly the options of every subcommand', async () => {
  const folder = temporaryFolder();
  const helps = await Promise.all(
    ['list', 'start', 'finish', 'status', 'abort'].map((name) => onceover(folder, ['workflow', name, '--help'])),
  );
  const helpOptions = new Set(helps.flatMap(({ stdout }) => stdout.match(/^ {2}(?:-h, )?--[\w-]+/gm) ?? []).values());
  const options = [...helpOptions]
    .map((option) => option.trim().replace('-h, ', ''))
    .filter((option) => option !== '--help');
  const pageOptions = new Set(PAGE.match(/(?<![\w|-])--[a-z][a-z-]*/g));
  expect(options.toSorted()).toEqual([...pageOptions].toSorted());
});

test('the page lists the parameters of the tools', async () => {
  const tools = await (await connectNew(repoWith({}).root)).tools();
  const calls = [...PAGE.matchAll(/`(\w+)\(([^)]*)\)`/g)];
  expect(calls).toHaveLength(4);
  for (const [, name, parameters = ''] of calls) {
    const schema = tools.find((tool) => tool.name === name)?.inputSchema as {
      properties?: object;
      required?: readonly string[];
    };
    const requiredNames = new Set(schema.required);
    const names = Object.keys(schema.properties ?? {}).map((name) => (requiredNames.has(name) ? name : `${name}?`));
    expect(names.toSorted()).toEqual(parameters.split(', ').filter(Boolean).toSorted());
  }
});

test('the page lists the fields of finished_step', () => {
  for (const [, names = ''] of PAGE.matchAll(/^\| `(?:needs_work|next_step|workflow_complete)` \| (.*) \|$/gm)) {
    for (const [, name = ''] of names.matchAll(/`(\w+)`/g)) expect(Object.keys(stepEndSchema.shape)).toContain(name);
  }
  const statuses = [...PAGE.matchAll(/^\| `(\w+)` \| /gm)].map(([, name]) => name);
  expect(statuses).toEqual(['status', ...stepEndSchema.shape.status.options]);
});
