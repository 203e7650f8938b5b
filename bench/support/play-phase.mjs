// Plays review loops with the built program and the real Claude Code, whose model is the simulator.
import { execFileSync, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { load } from './build.mjs';
import { npmsCode } from './install.mjs';
import { FIX_SUMMARY, verdict } from './loop-sample.mjs';
import { CLI } from './measure.mjs';

const { startModelSim } = await load('test/support/model-sim/server.ts');
const { agentSettings, realAgent, realPerson } = await load('test/support/real-person.ts');
const { programOf, usersFolder } = await load('test/support/agent-clis.ts');
const { dispatchesOf, schemaOf, stableText, usersText } = await load('test/support/wire.ts');
const { callAgent } = await load('packages/agents/src/adapters/call-agent.ts');

const CLAUDE = realAgent('claude');
const SIGNS = {
  'spec-reviewer': '# Specification review',
  'phase-reviewer': '# Phase review',
  'implementation-reviewer': '# Implementation review',
  'code-quality-reviewer': '# Code quality review',
  'security-reviewer': '# Security review',
};
const RESUMED = 'You already have the upstream artifacts';
// Only the reviewers of the loop are measured; the phase-reviewer runs after the loop.
const NOT_MEASURED = 'phase-reviewer';

const sim = await startModelSim();
let plays = 0;

export const endSimulator = () => sim.close();

/**
 * Returns why no loop can be played, for example because an agent could not be installed; null if loops can be played.
 */
export function whatIsMissing() {
  try {
    for (const name of ['claude', 'codex']) programOf(realAgent(name));
    return null;
  } catch (error) {
    return `${error.message.split(': ')[0]} (${npmsCode(error.message)})`;
  }
}

export const claudeVersion = CLAUDE.agent.testedVersion;

/**
 * Plays a loop of five rounds by calls of `onceover phase --step`. `keeps`: onceover resumes sessions; otherwise every
 * review gets a new session. `passes(role, round)`: whether a role passes in a round. `alsoOpens(round)`: the files
 * that a resumed reviewer opens. Returns the requests of each round, the characters sent, and the prompts of each
 * review.
 */
export function playPhase(sample, { name, scenario, keeps, passes, alsoOpens = () => [] }) {
  const phase = sample.phases[name];
  return asSomebody(phase, async (person) => {
    const opened = answerFor(person, (role, isResumed) => ({
      opens: isResumed ? alsoOpens(person.round) : phase.opens[scenario],
      says: verdict(role, { round: person.round, passes: passes(role, person.round) }),
    }));
    const rounds = [];
    let document = null;
    for (const [n, version] of phase.versions.entries()) {
      person.begin(n, version);
      document = await person.onceover([
        ...['phase', name, sample.feature, '--step', '--json'],
        ...(keeps ? [] : ['--no-keep-sessions']),
        ...(n === 0 ? [] : ['--summary', FIX_SUMMARY]),
      ]);
      rounds.push(person.requests());
    }
    const looks = document.loops
      .filter(({ role }) => role !== NOT_MEASURED)
      .flatMap(({ role, iterations }) => iterations.map((one) => ({ role, ...one })));
    const sent = looks.reduce((sum, { prompt_chars }) => sum + prompt_chars, 0);
    return { rounds, looks, sent, opened: opened(), texts: rounds.map(wordsOf) };
  });
}

/**
 * Sends the prompts of the new sessions to Claude Code again, with all text in the prompt and none in the system
 * prompt.
 */
export function playTemplate(sample, { name, scenario, texts }) {
  const phase = sample.phases[name];
  return asSomebody(phase, async (person) => {
    const opened = answerFor(person, (role) => ({
      opens: phase.opens[scenario],
      says: verdict(role, { round: person.round, passes: false }),
    }));
    const rounds = [];
    for (const [n, version] of phase.versions.entries()) {
      person.begin(n, version);
      await Promise.all(texts[n].map((text) => person.ask(text)));
      rounds.push(person.requests());
    }
    return { rounds, opened: opened() };
  });
}

function wordsOf(requests) {
  return dispatchesOf(requests).map(([first]) => ({
    text: `${stableText(first)}\n\n${usersText(first)}`,
    schema: schemaOf(first),
  }));
}

/** Runs work as a user with their own home, repository and cache. */
async function asSomebody(phase, work) {
  const label = `loop-${++plays}`;
  const folder = mkdtempSync(join(usersFolder(), 'bench-'));
  const root = join(folder, 'repo');
  mkdirSync(root);
  const { env: own } = realPerson(folder, () => sim.baseUrl(label));
  // The simulator has a separate cache for each key.
  const env = { ...own, ...GIT, ANTHROPIC_API_KEY: label };
  const git = (...args) => execFileSync('git', args, { cwd: root, env, stdio: 'pipe' });
  const write = (path, text) => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  };
  try {
    git('init', '-q', '-b', 'main');
    write('onceover.yml', agentSettings(['claude']));
    for (const [path, text] of Object.entries(phase.files)) write(path, text);
    if (phase.path.startsWith('src/')) write(phase.path, 'export {};\n');
    git('add', '-A');
    git('commit', '-q', '-m', 'first');
    git('checkout', '-q', '-b', 'work');
    let before = 0;
    const person = {
      root,
      label,
      sizes: { ...phase.files, [phase.path]: phase.versions[0] },
      round: 0,
      begin(n, version) {
        before = sim.requests(label).length;
        person.round = n + 1;
        write(phase.path, version);
      },
      requests: () =>
        sim
          .requests(label)
          .slice(before)
          .filter(({ target, body }) => target.kind === 'generate' && roleIn(body) !== NOT_MEASURED),
      onceover: (args) => runCli(root, env, args),
      ask: (text) => putWhole(root, env, text),
    };
    return await work(person);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const GIT = {
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_CONFIG_SYSTEM: '/dev/null',
  ...{ GIT_AUTHOR_NAME: 'bench', GIT_AUTHOR_EMAIL: 'bench@example.invalid' },
  ...{ GIT_COMMITTER_NAME: 'bench', GIT_COMMITTER_EMAIL: 'bench@example.invalid' },
};

/**
 * Makes the model open files, one request each, and then answer with its verdict. Returns the number of opened
 * characters.
 */
function answerFor(person, plan) {
  let opened = 0;
  sim.script(person.label, ({ body }) => {
    const role = roleIn(body);
    const asked = JSON.stringify(body.messages.findLast(isQuestion) ?? null);
    const { opens, says } = plan(role, asked.includes(RESUMED));
    const path = role === NOT_MEASURED ? undefined : opens[openedSince(body.messages)];
    if (path === undefined) return { kind: 'structured', value: says };
    opened += person.sizes[path].length;
    return { kind: 'tools', calls: [CLAUDE.read(join(person.root, path))] };
  });
  return () => opened;
}

function roleIn(body) {
  const text = JSON.stringify(body);
  const role = Object.keys(SIGNS).find((one) => text.includes(SIGNS[one]));
  if (role === undefined) throw new Error('onceover called a role that is not a reviewer');
  return role;
}

const blocksOf = ({ content }) => (Array.isArray(content) ? content : [{ type: 'text', text: content }]);
const isQuestion = (message) =>
  message.role === 'user' && blocksOf(message).some(({ type, text }) => type === 'text' && !/^<[a-z-]+>/.test(text));

/** Counts the files opened since the last prompt. */
function openedSince(messages) {
  const asked = messages.findLastIndex(isQuestion);
  return messages
    .slice(asked + 1)
    .flatMap(blocksOf)
    .filter(({ type }) => type === 'tool_result').length;
}

function runCli(cwd, env, args) {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [CLI, ...args], { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
    let [stdout, stderr] = ['', ''];
    child.stdout.on('data', (chunk) => {
      stdout += chunk;
    });
    child.stderr.on('data', (chunk) => {
      stderr += chunk;
    });
    child.on('error', reject);
    child.on('close', () => {
      const document = stdout.startsWith('{') ? JSON.parse(stdout) : {};
      if (document.loops === undefined) reject(new Error(`onceover ${args.join(' ')}: ${stdout}${stderr}`));
      else resolve(document);
    });
  });
}

async function putWhole(cwd, env, { text, schema }) {
  const end = await callAgent({
    agent: CLAUDE.agent,
    program: programOf(CLAUDE),
    cwd,
    env,
    question: {
      stable: 'You are a reviewer.',
      dynamic: text,
      schema,
      sessionId: null,
      newSessionId: randomUUID(),
      usedBefore: null,
      model: CLAUDE.model,
      cacheTtl: '5m',
      timeoutSeconds: 60,
    },
    idleSeconds: 60,
    signal: null,
  });
  if (!end.ok) throw new Error(JSON.stringify(end.failure));
}
