// Plays review gates with the built program and a reviewer whose model is the simulator: the real Claude Code, Codex or
// opencode, or an API that onceover calls itself.
import { execFileSync, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { load } from './build.mjs';
import { codeLine } from './documents.mjs';
import { weightedInput } from './loop-tokens.mjs';
import { CLI } from './measure.mjs';
import { seeded } from './random.mjs';

const { startModelSim } = await load('test/support/model-sim/server.ts');
const { agentSettings, realAgent, realPerson } = await load('test/support/real-person.ts');
const { programOf, settle, usersFolder } = await load('test/support/agent-clis.ts');
const { dispatchesOf, schemaOf, stableText, usersText } = await load('test/support/wire.ts');
const { callAgent } = await load('packages/agents/src/adapters/call-agent.ts');

// `cli` is the agent whose program or whose model a reviewer uses.
const REVIEWERS = {
  claude: { cli: realAgent('claude'), isApi: false },
  api: { cli: realAgent('claude'), isApi: true, dialect: 'api: anthropic', path: '' },
  codex: { cli: realAgent('codex'), isApi: false },
  opencode: { cli: realAgent('opencode'), isApi: false },
  openai: { cli: realAgent('codex'), isApi: true, dialect: 'api: openai, endpoint: responses', path: '/v1' },
};
const CHANGED = 'src/changed.ts';
// With these lengths in characters, reviews in new sessions cost what they cost in the measurement whose best known figures
// are the limits of bench/reading.mjs, within one percent.
const SIZES = { changed: 9550, part: 9550, big: 14_800 };
const RUBRIC = 1500;
const EDIT = 14;

const sim = await startModelSim();
let plays = 0;

export const versionOf = (who) => REVIEWERS[who].cli.agent.testedVersion;

export const endGateSimulator = () => sim.close();

/** Makes the repository, the rubrics and the versions of the changed file. */
function sampleFor(seed, { gates, reviews }) {
  const random = seeded(seed);
  const source = (size) => {
    let text = '';
    while (text.length < size) text += `${codeLine(random)}\n`;
    return text;
  };
  const rubric = (n) => `Rubric number ${n}.\n${source(RUBRIC)}`;
  const lines = source(SIZES.changed).split('\n');
  const versions = [lines.join('\n')];
  for (let n = 1; n <= 5; n++) {
    const at = random.between(0, lines.length - EDIT - 1);
    for (let line = at; line < at + EDIT; line++) lines[line] = codeLine(random);
    versions.push(lines.join('\n'));
  }
  const entries = Array.from({ length: gates }, (_, g) => {
    const own = Array.from(
      { length: reviews },
      (__, r) => `      r${g}${r}: { prompt: .onceover/reviews/r${g}${r}.md }`,
    );
    return `  - path: ${gates === 1 ? 'src' : `src${g === 0 ? '' : g}`}\n    reviews:\n${own.join('\n')}\n`;
  });
  const folders = Array.from({ length: gates }, (_, g) => `src${g === 0 ? '' : g}`);
  return {
    versions,
    folders,
    big: source(SIZES.big),
    settings: `gates:\n${entries.join('')}`,
    files: {
      ...Object.fromEntries(Array.from({ length: 7 }, (_, n) => [`lib/part${n}.ts`, source(SIZES.part)])),
      ...Object.fromEntries(
        Array.from({ length: gates * reviews }, (_, n) => {
          const [g, r] = [Math.floor(n / reviews), n % reviews];
          return [`.onceover/reviews/r${g}${r}.md`, rubric(n)];
        }),
      ),
    },
  };
}

/**
 * Plays rounds of `onceover run` in which no reviewer passes, and the changed file is edited before each round but the
 * first. `opens`: how many files a reviewer in a new session opens, `atOnce`: all of them in one turn, `reopens`: also in forks of a reading. `minutes`: the time
 * between rounds. `who`: claude, codex or opencode, or api or openai for reviewers that onceover calls itself. Returns the
 * weighted input and the calls of each round.
 */
export async function playGates({
  opens,
  minutes = 0,
  rounds = 5,
  gates = 1,
  reviews = 3,
  settings = '',
  args = [],
  loops = 1,
  passes = () => false,
  seed = 1,
  who = 'claude',
  atOnce = false,
  reopens = false,
}) {
  const sample = sampleFor(seed, { gates, reviews });
  return asUser(sample, { settings, who }, async (user) => {
    const played = [];
    for (let loop = 1; loop <= loops; loop++) {
      if (loop > 1) user.timePasses(180);
      if (loop > 1) user.git('checkout', '-q', '-b', `loop-${loop}`);
      for (let round = 1; round <= rounds; round++) {
        if (round > 1 && minutes > 0) user.timePasses(minutes);
        user.begin(round, loop);
        user.answer({ opens, atOnce, reopens, who, passes: (text) => passes(text, round) });
        const startedAt = performance.now();
        const document = await user.run(args);
        const ms = performance.now() - startedAt;
        const requests = user.requests();
        played.push({
          loop,
          tokens: weightedInput(requests),
          ms,
          requests,
          how: document.gates.flatMap(({ slots }) => slots.map(({ dispatch, why }) => `${dispatch} ${why}`)),
          saved: document.saved,
          texts: dispatchesOf(requests).map(([first]) => ({
            // Codex has the stable text at the begin of its prompt.
            text: who === 'codex' ? usersText(first) : `${stableText(first)}\n\n${usersText(first)}`,
            schema: schemaOf(first),
          })),
        });
      }
    }
    return played;
  });
}

/** Sends the prompts of new sessions to the agent again, with all text in the prompt and none in the system prompt. */
export async function playNaive(played, { opens, minutes = 0, gates = 1, reviews = 3, seed = 1, who = 'claude' }) {
  const sample = sampleFor(seed, { gates, reviews });
  return asUser(sample, { settings: '', who }, async (user) => {
    const rounds = [];
    for (const [n, { texts }] of played.entries()) {
      if (n > 0 && minutes > 0) sim.clock.advance(minutes * 60_000);
      user.begin(n + 1, 1);
      user.answer({ opens, who, passes: () => false });
      // One after another, so that each call finds the agent's own tools and instructions in the cache.
      for (const text of texts) await user.ask(text);
      rounds.push({ tokens: weightedInput(user.requests()) });
    }
    return rounds;
  });
}

/** Returns the environment of a user and the settings of the reviewer. */
function reviewerOf(who, folder, label) {
  const { cli, isApi, dialect, path } = REVIEWERS[who];
  if (isApi) {
    const agent = `{ ${dialect}, model: ${cli.model}, base_url: "${sim.baseUrl(label)}${path}", key: SIM_KEY }`;
    return { own: { PATH: process.env.PATH, HOME: folder }, agents: `agents: [direct]\nagent:\n  direct: ${agent}\n` };
  }
  if (who !== 'opencode')
    return { own: realPerson(folder, () => sim.baseUrl(label)).env, agents: agentSettings([who]) };
  const { ONCEOVER_ACTIVE: _, ...env } = settle(cli, folder, sim.baseUrl(label)).env;
  const PATH = [dirname(programOf(cli)), process.env.PATH].join(delimiter);
  return { own: { ...env, PATH }, agents: `agents: [${who}]\nagent:\n  ${who}: { model: ${cli.model} }\n` };
}

async function asUser(sample, { settings, who }, work) {
  const label = `gates-${++plays}`;
  const folder = mkdtempSync(join(usersFolder(), 'bench-'));
  const root = join(folder, 'repo');
  mkdirSync(root);
  const { own, agents } = reviewerOf(who, folder, label);
  const env = { ...own, ...GIT, ANTHROPIC_API_KEY: label, OPENAI_API_KEY: label, SIM_KEY: label };
  const git = (...args) => execFileSync('git', args, { cwd: root, env, stdio: 'pipe' });
  const write = (path, text) => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  };
  let before = 0;
  const user = {
    git,
    begin(round, loop) {
      before = sim.requests(label).length;
      for (const place of sample.folders) {
        write(`${place}/big.ts`, `${sample.big}// loop ${loop}\n`);
        write(`${place}/changed.ts`, sample.versions[round]);
      }
    },
    requests: () =>
      sim
        .requests(label)
        .slice(before)
        .filter(({ target }) => target.kind === 'generate'),
    answer: (how) => sim.script(label, modelFor(root, how)),
    timePasses: (minutes) => timePasses(root, minutes),
    run: (args) => runCli(root, env, ['run', '--json', ...args]),
    ask: (text) => putWhole(REVIEWERS[who].cli, { cwd: root, env }, text),
  };
  try {
    git('init', '-q', '-b', 'main');
    write('onceover.yml', `${settings}${agents}${sample.settings}`);
    for (const [path, text] of Object.entries(sample.files)) write(path, text);
    for (const place of sample.folders) write(`${place}/changed.ts`, sample.versions[0]);
    git('add', '-A');
    git('commit', '-q', '-m', 'first');
    git('checkout', '-q', '-b', 'work');
    return await work(user);
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

const GIVEN = 'Files that reviewers of this change have opened';

/** Returns the files whose whole text is in the start of the prompt. */
function givenIn(body) {
  const [, given = ''] = JSON.stringify(body).split(GIVEN);
  return new Set([...given.split('## What to look for')[0].matchAll(/### ([^\s\\]+)/g)].map(([, path]) => path));
}

/**
 * A reviewer in a new session and a reading open all files that their prompt does not contain, one request each. A fork
 * opens none. A resumed reviewer opens the changed file, except if its prompt contains the file.
 */
function modelFor(root, { opens, atOnce = false, reopens = false, who, passes }) {
  const { cli, isApi } = REVIEWERS[who];
  const reading = (path) => (isApi ? { name: 'read', input: { path } } : cli.read(join(root, path)));
  return ({ body }) => {
    const asked = lastQuestion(body);
    const more = who === 'codex' ? { message: null } : {};
    const text = JSON.stringify(asked.message);
    const place = /b\/(src\d*)\/big\.ts/.exec(JSON.stringify(body))?.[1] ?? 'src';
    const all = [`${place}/${CHANGED.split('/')[1]}`, ...Array.from({ length: 7 }, (_, n) => `lib/part${n}.ts`)].slice(
      0,
      opens,
    );
    const given = givenIn(body);
    const isReading = text.includes('judge nothing yet');
    const wanted = text.includes('The change is different')
      ? text.includes('The difference shows these files as a whole')
        ? []
        : all.slice(0, 1)
      : text.includes('From here on you are one of them') && !reopens
        ? []
        : all.filter((path) => reopens || !given.has(path));
    const next = wanted.slice(asked.opened, atOnce ? undefined : asked.opened + 1);
    if (next.length > 0) return { kind: 'tools', calls: next.map(reading) };
    if (isReading) return { kind: 'structured', value: { status: 'read', violations: [] } };
    const rubric = /Rubric number (\d+)/.exec(JSON.stringify(body))?.[1] ?? '0';
    if (passes(rubric)) return { kind: 'structured', value: { status: 'pass', violations: [], ...more } };
    const previous = [...new Set(text.match(/id: F\d+/g) ?? [])].map((id) => ({
      id: id.slice(4),
      state: 'open',
      why: 'The code is the same.',
    }));
    const found = {
      file: `${place}/big.ts`,
      line: Number(rubric) + 3,
      issue: `${'The value is wrong here. '.repeat(20)}${rubric}`,
      fix: 'Use the other value.',
      priority: 'high',
    };
    return {
      kind: 'structured',
      value: { status: 'fail', violations: previous.length > 0 ? [] : [found], previous, ...more },
    };
  };
}

const blocksOf = ({ content }) => (Array.isArray(content) ? content : [{ type: 'text', text: content ?? '' }]);
const isQuestion = (message) =>
  message.role === 'user' &&
  blocksOf(message).some(({ type, text }) => /^(?:input_)?text$/.test(type) && !/^<[a-z_-]+>/.test(text));
const isResult = ({ type }) => /_output$|^tool_result$/.test(type ?? '');

/** Returns the last question of a request to Anthropic or OpenAI, and the number of files opened since then. */
function lastQuestion({ messages, input }) {
  const steps = messages ?? input;
  const at = steps.findLastIndex(isQuestion);
  const opened = steps
    .slice(at + 1)
    .flatMap((step) => (isResult(step) ? [step] : blocksOf(step)))
    .filter(isResult).length;
  return { message: steps[at], opened };
}

/** Advances the simulator's clock, and moves the times in records and in the ledger to the past. */
function timePasses(root, minutes) {
  sim.clock.advance(minutes * 60_000);
  const earlier = (time) => new Date(Date.parse(time) - minutes * 60_000).toISOString();
  const stamp = (time) => time.replace(/[-:.]/g, '');
  for (const place of ['.deepwork/logs', '.git/onceover/ledger'].map((one) => join(root, one))) {
    for (const name of readdirSync(place).filter((one) => one.endsWith('.json'))) {
      const text = readFileSync(join(place, name), 'utf8');
      const moved = text.replace(
        /"(timestamp|lastUsedAt|at)":( ?)"(\d{4}-[^"]+Z)"/g,
        (_, key, gap, time) => `"${key}":${gap}"${earlier(time)}"`,
      );
      const at = /"at": ?"([^"]+)"/.exec(moved)?.[1];
      const isLedger = place.endsWith('ledger') && at !== undefined;
      rmSync(join(place, name));
      writeFileSync(join(place, isLedger ? `${stamp(at)}${name.slice(stamp(at).length)}` : name), moved);
    }
  }
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
      const isJudged = document.gates?.every(({ slots }) => slots.every(({ status }) => status !== 'error'));
      if (isJudged !== true) reject(new Error(`onceover ${args.join(' ')}: ${stdout.slice(0, 2000)}${stderr}`));
      else resolve(document);
    });
  });
}

async function putWhole({ agent, model, ...cli }, { cwd, env }, { text, schema }) {
  const end = await callAgent({
    ...{ agent, program: programOf({ agent, ...cli }), cwd, env, idleSeconds: 60, signal: null },
    question: {
      ...{ stable: 'You are a reviewer.', dynamic: text, schema, sessionId: null, newSessionId: randomUUID() },
      ...{ usedBefore: null, model, cacheTtl: '5m', timeoutSeconds: 60 },
    },
  });
  if (!end.ok) throw new Error(JSON.stringify(end.failure));
}
