import { spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import type { StepEndDocument, WorkflowStartDocument, WorkflowStatusDocument } from '@onceover/loops/workflows/json';
import { programOf, usersFolder } from '@onceover/testing/agent-clis.ts';
import { CLI } from '@onceover/testing/cli.ts';
import { type JsonObject, objectsIn } from '@onceover/testing/model-sim/json.ts';
import { conversationOf } from '@onceover/testing/model-sim/log.ts';
import type { Answer, RequestSummary } from '@onceover/testing/model-sim/script.ts';
import { type ModelSim, startModelSim } from '@onceover/testing/model-sim/server.ts';
import { agentUser } from '@onceover/testing/real-agents.ts';
import { agentSettings, realAgent, realPerson } from '@onceover/testing/real-person.ts';
import { cleanEnvironment, temporaryFolder } from '@onceover/testing/repo.ts';
import { OUTPUTS, outputOptions, type WorkflowRepo, workflowRepo } from '@onceover/testing/workflow/repo.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';

let sim: ModelSim;
beforeAll(async () => {
  sim = await startModelSim();
});
afterAll(() => sim.close());

const LABEL = 'workflow';
const ASKED = 'Work through the workflow research_report: tea or coffee in the office?';
const tool = (name: string) => `mcp__onceover__${name}`;

const calls = (...list: readonly { readonly name: string; readonly input: JsonObject }[]): Answer => ({
  kind: 'tools',
  calls: list,
});
const call = (name: string, input: JsonObject) => calls({ name, input });
const says = (text: string): Answer => ({ kind: 'text', text });

/** The model's turns while it works through the workflow; a sub-agent reviews each step. */
function working(repo: WorkflowRepo): readonly ((request: RequestSummary) => Answer)[] {
  const write = (path: string, content: string) => ({
    name: 'Write',
    input: { file_path: join(repo.root, path), content },
  });
  const finish = (step: keyof typeof OUTPUTS, reason?: string) => () =>
    call(tool('finished_step'), {
      outputs: OUTPUTS[step],
      ...(reason === undefined ? {} : { quality_review_override_reason: reason }),
    });
  // The answer to finished_step names the file.
  const review = ({ toolResults, body }: RequestSummary) => {
    const told = [...toolResults, JSON.stringify(body)].join('\n');
    const file =
      [...told.matchAll(/\.deepwork\/tmp\/quality_review_\w+\.md/g)].at(-1)?.[0] ?? 'no review file was named';
    const prompt = `Read ${join(repo.root, file)} and do the review that it asks for.`;
    return call('Agent', { description: 'Review the outputs', prompt, run_in_background: false });
  };
  return [
    () => call('ToolSearch', { query: `select:${tool('start_workflow')},${tool('finished_step')}`, max_results: 5 }),
    () => call(tool('start_workflow'), { job_name: 'research_report', goal: 'Tea or coffee in the office?' }),
    () => calls(write('notes/one.md', 'Source: https://example.org\n\nTea.\n'), write('notes/two.md', 'Coffee.\n')),
    finish('research'),
    review,
    () => calls(write('notes/two.md', 'Source: https://example.com\n\nCoffee.\n')),
    review,
    finish('research', 'The second look of a sub-agent: all criteria pass.'),
    () => calls(write('report.md', 'Both [notes/one.md].\n')),
    finish('report'),
    review,
    finish('report', 'A sub-agent: all criteria pass.'),
    () => calls(write('summary.md', 'Offer both.\n')),
    finish('summary'),
    review,
    finish('summary', 'A sub-agent: all criteria pass.'),
    () => says('The workflow is complete.'),
  ];
}

/** The steps of a sub-agent: it reads the review file and the current notes, and reports the result. */
function reviewing(repo: WorkflowRepo, request: RequestSummary): Answer {
  const [, file = ''] = /Read (\S+quality_review_\S+\.md) and do/.exec(request.lastUserText) ?? [];
  if (request.toolResults.length === 0) return call('Read', { file_path: file });
  if (!request.toolResults.join().includes('# Quality Review')) return says('NONE: there is nothing to review by.');
  const isSourced = readFileSync(join(repo.root, 'notes/two.md'), 'utf8').startsWith('Source:');
  return says(isSourced ? 'PASS: all criteria pass.' : 'FAIL Sourced: notes/two.md names no source.');
}

/** Returns how often the model has answered in the conversation of a request. */
const answersBefore = ({ body }: RequestSummary) =>
  objectsIn(body['messages']).filter(({ role }) => role === 'assistant').length;

test('Claude Code works through the example in self-review mode, to the end', async () => {
  const repo = workflowRepo();
  for (const path of ['notes/one.md', 'notes/two.md', 'report.md', 'summary.md']) repo.git('rm', '-q', path);
  repo.commit('without outputs');
  const script = working(repo);
  const reviews: string[] = [];
  sim.script(LABEL, (request) => {
    const first = JSON.stringify(objectsIn(request.body['messages'])[0]);
    if (first.includes(ASKED)) return script[answersBefore(request)]?.(request) ?? says('Nothing is left to do.');
    const answer = reviewing(repo, request);
    if (answer.kind === 'text') reviews.push(answer.text);
    return answer;
  });

  const end = await work(repo);
  expect([end.code, end.stderr]).toEqual([0, '']);
  expect(JSON.parse(end.stdout)).toMatchObject({
    is_error: false,
    permission_denials: [],
    result: 'The workflow is complete.',
  });
  expect(reviews.map((review) => review.slice(0, 4))).toEqual(['FAIL', 'PASS', 'PASS', 'PASS']);

  // The model gets the structured content of a tool's answer.
  const heard = JSON.stringify(conversationOf(sim.requests(), LABEL).at(-1)?.body);
  for (const said of [
    '# Collect notes',
    'When research is done: finished_step with session_id',
    'Spawn a sub-agent',
    'FAIL Sourced: notes/two.md names no source.',
    'next_step',
    'workflow_complete',
  ]) {
    expect.soft(heard.includes(said), said).toBe(true);
  }

  const [session] = await sessionsOf(repo);
  expect(session).toMatchObject({ status: 'completed', reviewer: null, all_outputs: OUTPUTS });
  expect(session?.steps.map(({ attempts, override_reason }) => [attempts, override_reason])).toEqual([
    [1, 'The second look of a sub-agent: all criteria pass.'],
    [1, 'A sub-agent: all criteria pass.'],
    [1, 'A sub-agent: all criteria pass.'],
  ]);
});

test('Claude Code reviews by default, and a review that passed does not run again', async () => {
  const repo = workflowRepo();
  repo.write('onceover.yml', agentSettings(['claude']));
  const { env } = realPerson(temporaryFolder(usersFolder()), () => sim.baseUrl('reviewer'));
  const asked: string[] = [];
  const isWhole = ({ lastUserText }: RequestSummary) =>
    OUTPUTS.research.notes.every((one) => lastUserText.includes(one));
  sim.script('reviewer', (request) => {
    asked.push(isWhole(request) ? 'all' : 'one');
    const passed = !isWhole(request) || asked.length > 3;
    return { kind: 'structured', value: { passed, feedback: passed ? 'Fine.' : 'They depend on one another.' } };
  });
  const start = await repo.document<WorkflowStartDocument>(['start', 'research_report', '--goal', 'Tea?'], { env });
  expect(start).toMatchObject({ code: 0, reviewer: 'claude' });
  const finish = () =>
    repo.document<StepEndDocument>(['finish', ...outputOptions(OUTPUTS.research)], { env, timeoutMs: 60_000 });
  expect(await finish()).toMatchObject({
    code: 1,
    status: 'needs_work',
    reviews_done: 3,
    failed_reviews: [{ target_file: null, feedback: 'They depend on one another.' }],
  });
  expect(asked.toSorted()).toEqual(['all', 'one', 'one']);
  expect(await finish()).toMatchObject({ code: 0, status: 'next_step', reviews_done: 1 });
  expect(asked).toHaveLength(4);
});

/** Runs Claude Code with a prompt and onceover's tools, without settings of this machine. */
function work(
  repo: WorkflowRepo,
): Promise<{ readonly code: number | null; readonly stdout: string; readonly stderr: string }> {
  const real = realAgent('claude');
  const user = agentUser(real, sim.baseUrl(LABEL));
  const { ONCEOVER_ACTIVE: _, ...own } = user.env;
  const { PATH: path, HOME: __, ...git } = cleanEnvironment(dirname(user.project));
  const env = { ...own, ...git, PATH: [dirname(process.execPath), path].join(delimiter) };
  const config = join(dirname(user.project), 'mcp.json');
  const server = { command: process.execPath, args: [CLI, 'mcp', '--self-review'] };
  writeFileSync(config, JSON.stringify({ mcpServers: { onceover: server } }));
  const args = [
    ...['-p', '--model', real.model, '--output-format', 'json', '--permission-mode', 'acceptEdits'],
    ...['--mcp-config', config, '--strict-mcp-config', '--allowedTools', 'mcp__onceover,Agent,Read,Write'],
  ];
  return new Promise((resolve, reject) => {
    const child = spawn(programOf(real), args, {
      cwd: repo.root,
      env,
      stdio: ['pipe', 'pipe', 'pipe'],
      timeout: 120_000,
    });
    let [stdout, stderr] = ['', ''];
    child.stdout.on('data', (chunk: Buffer) => {
      stdout += chunk;
    });
    child.stderr.on('data', (chunk: Buffer) => {
      stderr += chunk;
    });
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, stdout, stderr }));
    child.stdin.end(ASKED);
  });
}

async function sessionsOf(repo: WorkflowRepo): Promise<WorkflowStatusDocument['sessions']> {
  const list = await repo.workflow(['list', '--json']);
  expect(JSON.parse(list.stdout)).toMatchObject({ sessions: [] });
  const ended = /session_(\w+)\.json/.exec(repo.git('ls-files', '-o', '.deepwork/tmp'))?.[1] ?? '';
  return (await repo.document<WorkflowStatusDocument>(['status', '--session', ended])).sessions;
}
