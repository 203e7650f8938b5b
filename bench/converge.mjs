// Plays pull requests with a noisy reviewer, with and without `convergence`: the built program and a scripted reviewer.
// The reviewer finds each planted problem with a chance of 40 % per review and invents two nits in every review. The
// author fixes every finding that blocks, and nothing else.
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { CLI } from './support/measure.mjs';
import { seeded } from './support/random.mjs';
import { report } from './support/rows.mjs';

const SEEDS = Number(process.env.CONVERGE_SEEDS ?? 8);
const MOST_ROUNDS = 12;
const LINES = 80;
const CHANCE = 0.4;
const NITS = 2;
const PLANTED = [...Array(3).fill('critical'), ...Array(4).fill('high'), ...Array(5).fill('medium')];
const MUST_FIX = 'convergence: { unchanged_code: must_fix_only }\n';
const ON = 'convergence: { unchanged_code: must_fix_only, ratchet: true }\n';

// Plays can be compared: the findings of a reviewer depend only on the seed, the round and the number of the reviewer.
const ways = [
  { name: 'on', settings: ON, reviewers: 1 },
  { name: 'mustFix', settings: MUST_FIX, reviewers: 1 },
  { name: 'two', settings: ON, reviewers: 2 },
  { name: 'off', settings: '', reviewers: 1 },
];
const played = Object.fromEntries(ways.map(({ name }) => [name, []]));
for (let seed = 1; seed <= SEEDS; seed++) {
  for (const { name, settings, reviewers } of ways) played[name].push(play(seed, settings, reviewers));
}
const { on, mustFix, two, off } = played;
const sum = (list, field) => list.reduce((total, one) => total + one[field], 0);
const criticals = SEEDS * PLANTED.filter((priority) => priority === 'critical').length;
const about = `${SEEDS} simulated pull requests`;

report({
  id: 'rounds',
  what: `rounds until a pull request passes or ${MOST_ROUNDS} rounds are over, mean of ${about}`,
  figure: sum(on, 'rounds') / SEEDS,
  unit: 'rounds',
  beside: [
    { what: 'without convergence', figure: sum(off, 'rounds') / SEEDS },
    { what: 'without the ratchet', figure: sum(mustFix, 'rounds') / SEEDS },
    { what: 'two reviewers', figure: sum(two, 'rounds') / SEEDS },
  ],
  limit: { ratio: 0.6 },
  details: `passed: ${[on, off, mustFix, two].map((list) => sum(list, 'passed')).join(', ')} of ${SEEDS}`,
});
report({
  id: 'nits',
  what: `new blocking findings below high on unchanged lines, after the first review, in ${about}`,
  figure: sum(on, 'nits'),
  unit: 'findings',
  beside: [{ what: 'without convergence', figure: sum(off, 'nits') }],
  limit: { most: 0 },
});
report({
  id: 'lost',
  what: `planted critical problems that the reviewer reported and that do not block, of ${criticals} in ${about}`,
  figure: sum(on, 'lost') + sum(mustFix, 'lost') + sum(two, 'lost'),
  unit: 'problems',
  limit: { most: 0 },
  details: `without convergence ${sum(off, 'lost')}`,
});
const sameRounds = on.map(({ rounds, missing }, n) => [missing[rounds - 1], off[n].missing[rounds - 1]]);
report({
  id: 'lost-in-time',
  what: `planted critical problems that no review has reported when the pull request passes, of ${criticals} in ${about}`,
  figure: sameRounds.reduce((total, [one]) => total + one, 0),
  unit: 'problems',
  beside: [
    { what: 'without convergence after as many rounds', figure: sameRounds.reduce((total, [, one]) => total + one, 0) },
  ],
  limit: { ratio: 1 },
});
report({
  id: 'never-found',
  what: `planted critical problems that no review has reported at the end, of ${criticals} in ${about}`,
  figure: sum(on, 'never'),
  unit: 'problems',
  beside: [
    { what: `without convergence, after up to ${MOST_ROUNDS} rounds`, figure: sum(off, 'never') },
    { what: 'without the ratchet', figure: sum(mustFix, 'never') },
    { what: 'two reviewers', figure: sum(two, 'never') },
  ],
});

/** Plays one pull request and returns its figures. */
function play(seed, settings, reviewers) {
  const root = mkdtempSync(join(tmpdir(), 'onceover-converge-'));
  try {
    const answers = Array.from({ length: reviewers }, (_, n) => join(root, `answer${n + 1}.json`));
    return playIn(join(root, 'repository'), answers, seed, settings);
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

function playIn(root, answers, seed, settings) {
  const random = seeded(seed);
  const write = (name, text) => {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(join(root, name), text);
  };
  const git = (...args) => execFileSync('git', args, { cwd: root, stdio: 'ignore' });
  write('onceover.yml', `${settings}${reviewersIn(answers)}`);
  write('.onceover/reviews/noisy.md', 'Find what is wrong.\n');
  git('init', '-q', '-b', 'main');
  git('-c', 'user.name=a', '-c', 'user.email=a@example.com', 'add', '-A');
  git('-c', 'user.name=a', '-c', 'user.email=a@example.com', 'commit', '-q', '-m', 'gates');
  git('checkout', '-q', '-b', 'work');
  const lines = Array.from({ length: LINES }, (_, n) => `export const value${n} = ${n};`);
  const planted = new Map(PLANTED.map((priority, n) => [n * 6 + random.between(0, 5), priority]));
  const isCritical = ([, priority]) => priority === 'critical';
  const criticalLines = [...planted].filter(isCritical).map(([line]) => line);
  const all = [...planted.keys()];
  const reported = new Set();
  const seen = new Set();
  const figures = { rounds: 0, passed: 0, nits: 0, lost: 0, never: 0, missing: [] };
  let open = [];
  let before = [];
  while (figures.rounds < MOST_ROUNDS) {
    figures.rounds++;
    write('src/a.ts', `${lines.join('\n')}\n`);
    const found = new Set();
    for (const [n, answer] of answers.entries()) {
      const own = open.filter(({ slot }) => slot === n + 1);
      const chance = seeded(seed * 1000 + figures.rounds * 10 + n);
      const look = review({ lines, planted, known: all, open: own, random: chance });
      for (const line of look.found) found.add(line);
      writeFileSync(answer, JSON.stringify(look.answer));
    }
    for (const line of found) reported.add(line);
    figures.missing.push(criticalLines.filter((line) => !reported.has(line)).length);
    const { code, findings } = run(root);
    open = findings.filter(({ state }) => state === 'open').map((one) => ({ ...one, at: one.line - 1 }));
    for (const { id, at, priority } of open.filter(({ id }) => !seen.has(id))) {
      const isUnchanged = figures.rounds > 1 && before[at] === lines[at];
      if (isUnchanged && (priority === 'medium' || priority === 'low')) figures.nits++;
      seen.add(id);
    }
    before = [...lines];
    const blocking = new Set(open.map(({ at }) => at));
    figures.lost += criticalLines.filter((line) => found.has(line) && planted.has(line) && !blocking.has(line)).length;
    if (code === 0) {
      figures.passed = 1;
      break;
    }
    for (const { at } of open) {
      lines[at] = `export const value${at} = ${at}; // fixed in round ${figures.rounds}`;
      planted.delete(at);
    }
  }
  figures.never = criticalLines.filter((line) => !reported.has(line)).length;
  return figures;
}

/** Returns the answer of the reviewer to the current lines, and the planted problems in it. */
function review({ lines, planted, known, open, random }) {
  const stays = open.filter(({ code, at }) => lines[at] === code);
  const isKnown = (line) => stays.some(({ at }) => at === line);
  // One draw for each problem, so that the next draws do not depend on what was fixed.
  const drawn = known.filter(() => random.chance(CHANCE));
  const found = new Set(drawn.filter((line) => planted.has(line) && !isKnown(line)));
  const problems = [...found].map((line) => problem(lines, line, planted.get(line), 'A planted problem.'));
  for (let n = 0; n < NITS; n++) {
    const line = random.between(0, LINES - 1);
    if (isKnown(line) || planted.has(line) || problems.some((one) => one.line === line + 1)) continue;
    problems.push(problem(lines, line, random.pick(['medium', 'low']), 'This name could be better.'));
  }
  const previous = open.map(({ id, code, at }) => {
    const state = lines[at] === code ? 'open' : 'fixed';
    return { id, state, why: 'I compared the line.' };
  });
  const status = problems.length + stays.length === 0 ? 'pass' : 'fail';
  return { found, answer: { status, violations: problems, previous } };
}

function problem(lines, line, priority, issue) {
  return { file: 'src/a.ts', line: line + 1, code: lines[line], issue, priority };
}

function reviewersIn(answers) {
  const names = answers.map((_, n) => `noisy${n + 1}`);
  const commands = answers.map((answer) => JSON.stringify(['sh', '-c', `cat > /dev/null; cat '${answer}'`]));
  return `agents: [${names.join(', ')}]
agent:
${names.map((name, n) => `  ${name}: { command: ${commands[n]} }`).join('\n')}
gates:
  - path: src
    reviews:
      noisy: { prompt: .onceover/reviews/noisy.md, num_reviews: ${answers.length} }
max_retries: 50
`;
}

function run(root) {
  const { HOME: _home, ...env } = process.env;
  const ended = spawnSync(process.execPath, [CLI, 'run', '--json'], {
    cwd: root,
    env: { ...env, HOME: dirname(root) },
    encoding: 'utf8',
  });
  const document = JSON.parse(ended.stdout);
  if (ended.status !== 0 && ended.status !== 1) throw new Error(`the run ended with ${ended.status}: ${ended.stdout}`);
  return { code: ended.status, findings: document.findings };
}
