import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { InstructionsDocument } from '@onceover/gates/rules/json';
import { type Connection, clients, connectNew } from '@onceover/testing/mcp-clients.ts';
import { callOf, INITIALIZE, openWire } from '@onceover/testing/mcp-wire.ts';
import { repoWith, ruleText, type TestRepo, temporaryFolder } from '@onceover/testing/repo.ts';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';

const FOLDER = '.deepwork/tmp/review_instructions';

async function reviews(connection: Connection): Promise<InstructionsDocument> {
  return (await connection.call('get_review_instructions')).structured as InstructionsDocument;
}

function changedRepo(): TestRepo {
  const repo = repoWith({ '.deepreview': ruleText('check') });
  for (const name of ['a.py', 'b.py', 'c.py']) repo.write(name, name);
  return repo;
}

describe.each(clients)('%s', (_, connect) => {
  test('lists its tools; review_id is a required string [REVIEW-REQ-009.2.1] [REVIEW-REQ-009.2.2]', async () => {
    const tools = await (await connect(repoWith({}).root)).tools();
    const names = tools.map((tool) => tool.name).sort();
    expect(names).toEqual([
      'abort_workflow',
      'continue_phase',
      'finished_step',
      'get_configured_reviews',
      'get_review_instructions',
      'get_run',
      'get_workflows',
      'mark_review_as_passed',
      'resolve_finding',
      'start_phase',
      'start_run',
      'start_workflow',
    ]);
    expect(tools.find((tool) => tool.name === 'mark_review_as_passed')?.inputSchema).toMatchObject({
      type: 'object',
      properties: { review_id: { type: 'string' } },
      required: ['review_id'],
    });
  });

  const requirements = '[REVIEW-REQ-009.0.1] [REVIEW-REQ-009.2.3] [REVIEW-REQ-009.2.7]';
  test(`skips exactly the review that was marked as passed ${requirements}`, async () => {
    const repo = changedRepo();
    const connection = await connect(repo.root);
    const { tasks } = await reviews(connection);
    expect(tasks.map((task) => task.files)).toEqual([['a.py'], ['b.py'], ['c.py']]);
    const id = tasks[1]?.review_id ?? '';
    const reply = await connection.call('mark_review_as_passed', { review_id: id });
    expect([reply.isError, reply.text]).toEqual([false, expect.stringContaining(id)]);
    expect(reply.structured).toEqual({ review_id: id, marked: true, instructions_known: true });
    const marker = statSync(join(repo.root, FOLDER, `${id}.passed`));
    expect([marker.isFile(), marker.size]).toEqual([true, 0]);
    const after = await reviews(connection);
    expect([after.tasks.map((task) => task.files), after.skipped.map((review) => review.review_id)]).toEqual([
      [['a.py'], ['c.py']],
      [id],
    ]);
  });
});

test('structured content fits the advertised output schemas', async () => {
  const connection = await connectNew(changedRepo().root);
  const id = (await reviews(connection)).tasks[0]?.review_id;
  const calls: [string, Record<string, unknown>][] = [
    ['mark_review_as_passed', { review_id: id }],
    ['get_review_instructions', {}],
    ['get_configured_reviews', {}],
  ];
  const tools = new Map((await connection.tools()).map((tool) => [tool.name, tool]));
  for (const [name, input] of calls) {
    const schema = z.fromJSONSchema({ ...tools.get(name)?.outputSchema });
    expect(schema.safeParse({}).success).toBe(false);
    const { structured } = await connection.call(name, input);
    expect(schema.safeParse(structured), name).toMatchObject({ success: true, data: structured });
  }
});

describe('mark_review_as_passed', () => {
  test('marks a review of a file with ".." in its name, and returns its id exactly [REVIEW-REQ-009.2.7]', async () => {
    const repo = repoWith({ '.deepreview': ruleText('check') });
    repo.write('[...a]\n\t"b\u202e.py', 'a');
    const connection = await connectNew(repo.root);
    const id = (await reviews(connection)).tasks[0]?.review_id ?? '';
    expect(id).toContain('[...a]\n\t"b\u202e.py');
    const { isError, text, structured } = await connection.call('mark_review_as_passed', { review_id: id });
    expect([isError, structured]).toEqual([false, { review_id: id, marked: true, instructions_known: true }]);
    expect(text).toContain(`\n${id}\n`);
    expect((await reviews(connection)).tasks).toEqual([]);
  });

  test('creates its folder [REVIEW-REQ-009.2.4]', async () => {
    const repo = repoWith({});
    const connection = await connectNew(repo.root);
    expect(existsSync(join(repo.root, '.deepwork'))).toBe(false);
    const { text, structured } = await connection.call('mark_review_as_passed', { review_id: 'r--a.py--0123456789ab' });
    expect(readFileSync(join(repo.root, FOLDER, 'r--a.py--0123456789ab.passed'), 'utf8')).toBe('');
    expect(structured).toMatchObject({ instructions_known: false });
    expect(text).toMatch(/^No known review has the id r--a\.py--0123456789ab:/);
  });

  test('rejects an invalid id and creates nothing [REVIEW-REQ-009.2.5] [REVIEW-REQ-009.2.6]', async () => {
    const rows: [string[], RegExp][] = [
      [['', ' ', '\n'], /it is empty/],
      [['..', '../x', 'a/../../b', 'a..b'], /it contains "\.\."/],
      [['/abs', '/etc/passwd'], /it starts with "\/"/],
      [['a/b'], /it contains "\/"/],
      [['a\0b'], /it contains a NUL character/],
      [['x'.repeat(300)], /longer than a file name/],
    ];
    const repo = repoWith({});
    const connection = await connectNew(repo.root);
    for (const [ids, sentence] of rows) {
      for (const id of ids) {
        const { isError, text } = await connection.call('mark_review_as_passed', { review_id: id });
        expect.soft([isError, text]).toEqual([true, expect.stringMatching(sentence)]);
        expect.soft(text).toContain('Pass the review_id exactly as the instruction file gives it.');
      }
    }
    expect(readdirSync(repo.root)).toEqual(['.git']);
  });

  test('rejects a missing id and an id that is not a string [REVIEW-REQ-009.2.2]', async () => {
    const connection = await connectNew(repoWith({}).root);
    for (const input of [{}, { review_id: 5 }, { review_id: null }]) {
      const { isError, text } = await connection.call('mark_review_as_passed', input);
      expect.soft([isError, text]).toEqual([true, expect.stringContaining('review_id')]);
    }
  });
});

test('rejects an unknown argument by name, and does nothing', async () => {
  const repo = changedRepo();
  const connection = await connectNew(repo.root);
  const before = readdirSync(repo.root, { recursive: true });
  const rows: readonly [name: string, input: Record<string, unknown>, sentence: RegExp][] = [
    ['start_run', { gates: ['review:.:code'] }, /gates is unknown; the tool takes: paths, gate$/],
    ['get_review_instructions', { file: 'a.py' }, /file is unknown; the tool takes: files$/],
    ['get_workflows', { job: 'a' }, /job is unknown; the tool takes: nothing$/],
    ['mark_review_as_passed', { review_id: 'a', id: 'b' }, /id is unknown; the tool takes: review_id$/],
  ];
  for (const [name, input, sentence] of rows) {
    const { isError, text } = await connection.call(name, input);
    expect.soft([isError, text]).toEqual([true, expect.stringMatching(sentence)]);
  }
  const tools = await connection.tools();
  for (const { inputSchema } of tools) expect.soft(inputSchema).toMatchObject({ additionalProperties: false });
  expect(readdirSync(repo.root, { recursive: true })).toEqual(before);
});

test('get_configured_reviews does not depend on passes [REVIEW-REQ-009.6.1]', async () => {
  const repo = changedRepo();
  repo.write('docs/.deepreview', ruleText('docs', { include: ['*.md'] }));
  const connection = await connectNew(repo.root);
  const lists = () =>
    Promise.all([
      connection.call('get_configured_reviews'),
      connection.call('get_configured_reviews', { only_rules_matching_files: ['a.py'] }),
    ]);
  const before = await lists();
  for (const { review_id } of (await reviews(connection)).tasks) {
    await connection.call('mark_review_as_passed', { review_id });
  }
  expect((await reviews(connection)).tasks).toEqual([]);
  expect(await lists()).toEqual(before);
  const check = { name: 'check', description: 'Checks check.', defining_file: '.deepreview:1' };
  const docs = { name: 'docs', description: 'Checks docs.', defining_file: 'docs/.deepreview:1' };
  expect(before.map((answer) => answer.structured)).toEqual([
    { rules: [check, docs], warnings: [] },
    { rules: [check], warnings: [] },
  ]);
});

test('the text lists the reviews to do and only counts skipped reviews', async () => {
  const repo = changedRepo();
  repo.write('sub/.deepreview', 'bad: [');
  const connection = await connectNew(repo.root);
  const ids = (await reviews(connection)).tasks.map((task) => task.review_id);
  for (const id of ids.slice(1)) await connection.call('mark_review_as_passed', { review_id: id });
  const { text, structured } = await connection.call('get_review_instructions');
  // A client may show its model the structured content alone.
  const { next } = structured as { readonly next: string };
  expect(next).toMatch(/^Give each instruction file to its own sub-agent/);
  expect(text).toContain(`\n\n${next}`);
  expect(text).toContain(`check: a.py\n  description: Checks check.\n  prompt:      @${FOLDER}/${ids[0]}.md`);
  expect(text).toContain('Skipped: 2 reviews already passed');
  expect(text).toContain('Warning: sub/.deepreview:1:');
  for (const word of ['b.py', 'c.py', ...ids.slice(1)]) expect(text).not.toContain(word);
});

test('paths of get_review_instructions are relative to the root', async () => {
  const connection = await connectNew(changedRepo().root);
  for (const [files, listedFiles] of [
    [['b.py'], ['b.py']],
    [[], []],
    [null, ['a.py', 'b.py', 'c.py']],
  ]) {
    const { structured } = await connection.call('get_review_instructions', { files });
    expect((structured as InstructionsDocument).tasks.flatMap((task) => task.files)).toEqual(listedFiles);
  }
  const outside = await connection.call('get_review_instructions', { files: ['../x'] });
  expect([outside.isError, outside.text]).toEqual([true, expect.stringContaining('../x is outside the repository')]);
});

test('--root selects the repository, --for the platform', async () => {
  const repo = repoWith({ '.deepreview': ruleText('check', { more: '    agent: {codex: auditor}\n' }) });
  repo.write('a.py', '');
  const connection = await connectNew(temporaryFolder(), ['--root', repo.root, '--for', 'codex']);
  expect((await reviews(connection)).tasks.map(({ files, agent }) => [files, agent])).toEqual([[['a.py'], 'auditor']]);
});

test('every tool fails with a sentence outside of a repository', async () => {
  const folder = temporaryFolder();
  const connection = await connectNew(folder);
  for (const name of ['get_review_instructions', 'get_configured_reviews', 'mark_review_as_passed']) {
    const { isError, text } = await connection.call(name, name.startsWith('mark') ? { review_id: 'a' } : {});
    expect.soft([isError, text]).toEqual([true, expect.stringMatching(/is not in a git repository.*\n.*git init/)]);
  }
  expect(readdirSync(folder)).toEqual([]);
});

describe('on the wire', () => {
  test('stdout has only the protocol, and garbage does not end the server', async () => {
    const repo = changedRepo();
    repo.write('sub/.deepreview', 'bad: [');
    const wire = openWire(repo);
    wire.send(INITIALIZE);
    await wire.answerTo(1);
    wire.sendRaw('garbage\n\n{}\n[]\n{"jsonrpc":"2.0"}\n\u0000\n');
    wire.send(callOf(2, 'get_review_instructions'));
    wire.send(callOf(3, 'nope'));
    wire.send(callOf(4, 'get_configured_reviews'));
    for (const id of [2, 4]) expect(await wire.answerTo(id)).toHaveProperty('result.structuredContent');
    expect(await wire.answerTo(3)).toMatchObject({ error: { message: expect.stringContaining('nope') } });
    wire.child.stdin.end();
    expect(await wire.ended).toBe(0);
    expect(wire.lines.length).toBeGreaterThanOrEqual(4);
    for (const line of wire.lines) expect(JSON.parse(line)).toMatchObject({ jsonrpc: '2.0' });
    expect(wire.errors.join('').split('\n')[0]).toMatch(/^onceover mcp: ignored an invalid message from the client/);
  });

  test('the server ends when standard input closes, before and after the greeting', async () => {
    const [silentWire, greetedWire] = [openWire(changedRepo()), openWire(changedRepo())];
    silentWire.child.stdin.end();
    greetedWire.send(INITIALIZE);
    await greetedWire.answerTo(1);
    greetedWire.child.stdin.end();
    expect(await Promise.all([silentWire.ended, greetedWire.ended])).toEqual([0, 0]);
  });
});
