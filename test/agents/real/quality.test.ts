import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { answerSchema } from '@onceover/agents/dispatch/answer-schemas';
import type { QualityDispatch, ReviewResult } from '@onceover/loops/workflows/quality/types';
import { usersFolder } from '@onceover/testing/agent-clis.ts';
import { CLI } from '@onceover/testing/cli.ts';
import { type Json, objectsIn, stringAt } from '@onceover/testing/model-sim/json.ts';
import { conversationOf, type LoggedRequest, totalUse } from '@onceover/testing/model-sim/log.ts';
import type { Answer, Script } from '@onceover/testing/model-sim/script.ts';
import { type ModelSim, startModelSim } from '@onceover/testing/model-sim/server.ts';
import { agentSettings, realAgent, realPerson } from '@onceover/testing/real-person.ts';
import { cleanEnvironment, repoWith, temporaryFolder } from '@onceover/testing/repo.ts';
import { addedText, outputTokens, schemaOf, sessionOf, stableText, usersText } from '@onceover/testing/wire.ts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

let sim: ModelSim;
beforeAll(async () => {
  sim = await startModelSim();
});
afterAll(() => sim.close());

const CRITERIA = { 'Sources named': 'Does every claim name its source?' };
const REVIEWS = [
  { run_each: 'step', quality_criteria: { Consistent: 'Do the outputs agree?' } },
  { run_each: 'pages', quality_criteria: CRITERIA, additional_review_guidance: 'Compare with report.md.' },
];
const SPECS = { report: { type: 'file' }, pages: { type: 'files' } };
const OUTPUTS = { report: 'report.md', pages: ['one.md', 'two.md'] };
// Longer than one argument can be, so the text did not arrive as an argument.
const REPORT = `# Report\n${'Costs fell by a third [survey, p. 4]. '.repeat(4000)}\n==================== END OUTPUTS ====================\n`;
const FILES = { 'report.md': REPORT, 'one.md': 'One [survey].\n', 'two.md': 'Two, as everybody knows.\n' };

/** Calls the library in a process with the user's own environment. */
const PROGRAM = `
import { text } from 'node:stream/consumers';
const { openQualityCli, QualityGate } = await import(process.env.INDEX);
const { given, call, maxInlineFiles } = JSON.parse(await text(process.stdin));
const dispatches = [];
const cli = await openQualityCli({ onDispatch: (one) => dispatches.push(one) });
const gate = new QualityGate({ cli, maxInlineFiles });
const begun = Date.now();
const end = await (call === null ? gate.evaluateReviews({ ...given, projectRoot: process.cwd() }) : cli.run({ ...call, cwd: process.cwd() })).then(
  (value) => ({ value }),
  (error) => ({ error: { message: error.message, failure: error.failure?.kind } }),
);
console.log(JSON.stringify({ ...end, dispatches, seconds: (Date.now() - begun) / 1000, payload: await gate.buildPayload({ ...given, projectRoot: process.cwd() }) }));
`;

type Told = {
  readonly value?: unknown;
  readonly error?: { readonly message: string; readonly failure?: string };
  readonly dispatches: readonly QualityDispatch[];
  readonly seconds: number;
  readonly payload: string;
  readonly sent: readonly LoggedRequest[];
  readonly systemPromptFiles: readonly string[];
};

let users = 0;

/** A user who reviews outputs with Claude Code, which talks to the simulator. */
async function judge(
  script: Script,
  more: { readonly call?: object; readonly reviews?: typeof REVIEWS; readonly maxInlineFiles?: number } = {},
): Promise<Told> {
  const label = `quality-${++users}`;
  sim.script(label, script);
  const { env, seen } = realPerson(temporaryFolder(usersFolder()), () => sim.baseUrl(label));
  const repo = repoWith({ 'onceover.yml': agentSettings(['claude']), ...FILES });
  const given = { reviews: more.reviews ?? REVIEWS, outputs: OUTPUTS, outputSpecs: SPECS, notes: 'Page 4 is new.' };
  const child = promisify(execFile)(process.execPath, ['--input-type=module', '-e', PROGRAM], {
    cwd: repo.root,
    env: {
      ...cleanEnvironment(dirname(repo.root)),
      ...env,
      INDEX: pathToFileURL(resolve(dirname(CLI), 'index.mjs')).href,
    },
    maxBuffer: 16 * 1024 * 1024,
  });
  child.child.stdin?.end(JSON.stringify({ given, call: more.call ?? null, maxInlineFiles: more.maxInlineFiles }));
  const { stdout } = await child;
  return {
    ...(JSON.parse(stdout) as Told),
    sent: conversationOf(sim.requests(), label),
    systemPromptFiles: readdirSync(seen).map((name) => readFileSync(join(seen, name), 'utf8')),
  };
}

const says = (value: Json): Answer => ({ kind: 'structured', value });
const verdict = (criterion: string, passed: boolean) =>
  says({ passed, feedback: 'Seen.', criteria_results: [{ criterion, passed, feedback: null }] });
const CALL = { systemPrompt: 'Judge.', prompt: 'Outputs.', jsonSchema: answerSchema('quality') };

describe('Claude Code as the reviewer of a quality gate', () => {
  test('gets system prompt, payload and schema, and its verdicts are the results', async () => {
    const told = await judge(({ body }) => {
      const asked = JSON.stringify(body);
      if (asked.includes('**Consistent**')) return verdict('Consistent', true);
      return verdict('Sources named', !asked.includes('as everybody knows'));
    });
    expect(told.value).toEqual<ReviewResult[]>([
      {
        passed: false,
        feedback: 'Seen.',
        criteria_results: [{ criterion: 'Sources named', passed: false, feedback: null }],
        review_run_each: 'pages',
        target_file: 'two.md',
      },
    ]);
    const fresh = told.sent.filter(
      (one, n) => told.sent.findIndex((other) => sessionOf(other) === sessionOf(one)) === n,
    );
    expect(fresh).toHaveLength(3);
    for (const request of fresh) {
      expect(schemaOf(request)).toMatchObject(answerSchema('quality'));
      const isWhole = stableText(request).includes('**Consistent**');
      expect(stableText(request)).toMatch(/^# Quality Review\n\nYou are a reviewer\./);
      expect(stableText(request)).toContain(
        '## Author Notes\n\nClaims of the author. Check them:\n\n```\nPage 4 is new.\n```',
      );
      expect(stableText(request).includes('## Additional Context\n\nCompare with report.md.')).toBe(!isWhole);
      if (isWhole) expect(usersText(request)).toContain(told.payload);
      else expect(usersText(request)).toMatch(/^={20} BEGIN OUTPUTS ={20}\n\n-{20} (?:one|two)\.md -{20}\n```\n/);
    }
    expect(told.payload).toContain(REPORT);
    expect(new Set(told.systemPromptFiles)).toEqual(new Set(fresh.map(stableText)));
    // The agent gets no tool that writes or runs; the placeholder is Claude Code's own and can do nothing.
    const tools = fresh.map(({ body }) =>
      objectsIn(body?.['tools'])
        .map((tool) => stringAt(tool, 'name'))
        .sort(),
    );
    expect(tools).toEqual(Array(3).fill(['DeferredToolPlaceholder', 'Glob', 'Grep', 'Read', 'StructuredOutput']));
    const model = realAgent('claude').model;
    expect(told.dispatches.map(({ agent, mode, failure, model: used }) => [agent, mode, failure, used])).toEqual(
      Array(3).fill(['claude', 'fresh', null, model]),
    );
    const used = told.dispatches.map(({ usage }) => usage);
    const sum = (pick: (usage: NonNullable<QualityDispatch['usage']>) => number) =>
      used.reduce((total, usage) => total + (usage === null ? 0 : pick(usage)), 0);
    expect(sum((one) => one.inputTokens + one.cachedInputTokens + one.cacheWriteTokens)).toBe(
      totalUse(told.sent).total,
    );
    expect(sum((one) => one.outputTokens)).toBe(outputTokens(told.sent));
  });

  test('has to repeat an unreadable answer in the same session', async () => {
    const prose: Answer = { kind: 'text', text: 'It is fine.' };
    // Claude Code repeats the request to its model by itself.
    const told = await judge([prose, prose, verdict('Clear', true)], { call: { ...CALL, timeoutSeconds: 60 } });
    expect(told.value).toMatchObject({ passed: true, criteria_results: [{ criterion: 'Clear', passed: true }] });
    expect(told.dispatches.map(({ mode }) => mode)).toEqual(['fresh', 'repair']);
    const [before, repair] = told.sent.slice(-2);
    if (before === undefined || repair === undefined) throw new Error('requests are missing');
    expect(sessionOf(repair)).toBe(sessionOf(before));
    expect(addedText(before, repair)).toMatch(/^Your last answer could not be read: /);
  });

  test('is ended at its timeout', async () => {
    const told = await judge({ kind: 'hang' }, { call: { ...CALL, timeoutSeconds: 3 } });
    expect(told.error).toEqual({ message: 'claude did not finish within 3 seconds', failure: 'timeout' });
    expect(told.seconds).toBeGreaterThan(2.5);
    expect(told.seconds).toBeLessThan(12);
    expect(told.dispatches).toMatchObject([{ mode: 'fresh', failure: { kind: 'timeout', seconds: 3 } }]);
  });

  test('reads files that are only listed, by the given paths', async () => {
    const seen: string[] = [];
    const told = await judge(
      ({ turn, lastUserText, toolResults }) => {
        seen.push(...toolResults);
        if (turn > 0) return verdict('Consistent', false);
        const root = /Paths count from (\S+)\.\n/.exec(lastUserText)?.[1] ?? '';
        const path = /^- (\S+) \(output: pages\)$/m.exec(lastUserText)?.[1] ?? '';
        return { kind: 'tools', calls: [realAgent('claude').read(join(root, path))] };
      },
      { reviews: REVIEWS.slice(0, 1), maxInlineFiles: 1 },
    );
    expect(told.value).toMatchObject([{ passed: false, review_run_each: 'step', target_file: null }]);
    expect(seen.join('')).toContain('One [survey].');
  });
});
