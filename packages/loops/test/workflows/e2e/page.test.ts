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
  const offered = new Set(helps.flatMap(({ stdout }) => stdout.match(/^ {2}(?:-h, )?--[\w-]+/gm) ?? []).values());
  const options = [...offered].map((one) => one.trim().replace('-h, ', '')).filter((one) => one !== '--help');
  const told = new Set(PAGE.match(/(?<![\w|-])--[a-z][a-z-]*/g));
  expect(options.toSorted()).toEqual([...told].toSorted());
});

test('the page lists the parameters of the tools', async () => {
  const tools = await (await connectNew(repoWith({}).root)).tools();
  const told = [...PAGE.matchAll(/`(\w+)\(([^)]*)\)`/g)];
  expect(told).toHaveLength(4);
  for (const [, name, parameters = ''] of told) {
    const schema = tools.find((tool) => tool.name === name)?.inputSchema as {
      properties?: object;
      required?: readonly string[];
    };
    const required = new Set(schema.required);
    const given = Object.keys(schema.properties ?? {}).map((one) => (required.has(one) ? one : `${one}?`));
    expect(given.toSorted()).toEqual(parameters.split(', ').filter(Boolean).toSorted());
  }
});

test('the page lists the fields of finished_step', () => {
  for (const [, names = ''] of PAGE.matchAll(/^\| `(?:needs_work|next_step|workflow_complete)` \| (.*) \|$/gm)) {
    for (const [, name = ''] of names.matchAll(/`(\w+)`/g)) expect(Object.keys(stepEndSchema.shape)).toContain(name);
  }
  const statuses = [...PAGE.matchAll(/^\| `(\w+)` \| /gm)].map(([, name]) => name);
  expect(statuses).toEqual(['status', ...stepEndSchema.shape.status.options]);
});
