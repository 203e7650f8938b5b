// Compares the cost of review loops of five rounds with a new session in every round: the built program and the real
// Claude Code, whose model is the simulator, so every token figure is simulated. LOOP_SEED sets the seed.
import { makeSample, ROUNDS } from './support/loop-sample.mjs';
import { later, weightedInput } from './support/loop-tokens.mjs';
import { median } from './support/measure.mjs';
import { claudeVersion, endSimulator, playPhase, playTemplate, whatIsMissing } from './support/play-phase.mjs';
import { notMeasured, report } from './support/rows.mjs';

const LIMITS = { characters: 0.4, tokens: { A: 0.55, B: 0.4 }, later: 1 };
const TEN_MINUTES_MS = 600_000;
const FIVE_MINUTES = () => '5m';
const AT_ONCE = 2;
const OPENS = { A: 'one file opened', B: 'eight files opened' };

/** The reviewers of a case as the table describes them; the keys are part of the row ids. */
const REVIEWERS = {
  'one reviewer': 'one reviewer',
  'three, as they pass': 'three reviewers that pass in different rounds',
  'three, none passes': 'three reviewers that never pass',
};

const started = performance.now();
const sample = makeSample(Number(process.env.LOOP_SEED ?? 1));
const never = () => false;
// Reviewers 2 and 3 pass in round 2 and are skipped afterwards. Reviewer 1 passes in round 5; then final validation
// runs all.
const asTheyPass = (role, round) => (role === 'implementation-reviewer' ? round === ROUNDS : round >= 2);

const SCENARIOS = ['A', 'B'];
const missing = whatIsMissing();
if (missing !== null) {
  notMeasured({ id: 'loops', what: 'review loops of five rounds', why: missing });
  await endSimulator();
  process.exit();
}
const played = await playAll();
await endSimulator();
printIntroduction();
const cases = SCENARIOS.flatMap((scenario) => [
  caseOf('one reviewer', 'specify', scenario, played[`specify ${scenario} kept`]),
  caseOf('three, as they pass', 'implement', scenario, played[`implement ${scenario} as they pass`]),
  caseOf('three, none passes', 'implement', scenario, played[`implement ${scenario} kept`]),
]);
printCases();
for (const one of cases) reportCase(one);
printUnlimited();
console.log(`${((performance.now() - started) / 1000).toFixed(0)} s`);

/** Plays every loop, two at a time. */
async function playAll() {
  const found = {};
  const jobs = SCENARIOS.flatMap((scenario) =>
    ['specify', 'implement'].flatMap((name) => {
      const play = (key, how) => async () => {
        found[`${name} ${scenario} ${key}`] = await playPhase(sample, { name, scenario, passes: never, ...how });
      };
      const template = async () => {
        await play('fresh', { keeps: false })();
        const { texts } = found[`${name} ${scenario} fresh`];
        found[`${name} ${scenario} template`] = await playTemplate(sample, { name, scenario, texts });
      };
      const kept = play('kept', { keeps: true });
      if (name === 'implement') return [template, kept, play('as they pass', { keeps: true, passes: asTheyPass })];
      return [template, kept, play('opens more', { keeps: true, alsoOpens: (round) => [sample.more[round - 1]] })];
    }),
  );
  const next = async () => {
    for (let job = jobs.shift(); job !== undefined; job = jobs.shift()) await job();
  };
  await Promise.all(Array.from({ length: AT_ONCE }, next));
  for (const [key, loop] of Object.entries(found)) check(key, loop);
  return found;
}

/** Throws if a loop did not run the expected number of reviews, because its figures would describe something else. */
function check(key, { rounds, looks = [] }) {
  const resumed = looks.filter(({ dispatch }) => dispatch === 'resumed').length;
  const first = key.startsWith('specify') ? 1 : 3;
  const expected = {
    fresh: [5 * first, 0],
    kept: [5 * first, 4 * first],
    'opens more': [5 * first, 4 * first],
    'as they pass': [12, 9],
  }[key.replace(/^\w+ [AB] /, '')];
  if (expected !== undefined && (looks.length !== expected[0] || resumed !== expected[1])) {
    throw new Error(`${key}: ${looks.length} reviews, ${resumed} of them resumed`);
  }
  // With no time between the rounds, the cache rules must give the same figures that the simulator counted.
  const [counted, again] = [rounds.map(weightedInput), later(rounds, { gapMs: 0, ttl: FIVE_MINUTES })];
  if (counted.some((one, n) => Math.abs(one - again[n]) > 1)) throw new Error(`${key}: ${counted} is not ${again}`);
}

function caseOf(who, name, scenario, ours) {
  const fresh = played[`${name} ${scenario} fresh`];
  const template = played[`${name} ${scenario} template`];
  // The prompt contains a document; a reviewer opens code itself.
  const characters = ({ sent, opened }) => (name === 'specify' ? sent : sent + opened);
  const slow = {
    ours: later(ours.rounds, { gapMs: TEN_MINUTES_MS, ttl: () => '1h' }),
    fresh: later(template.rounds, { gapMs: TEN_MINUTES_MS, ttl: FIVE_MINUTES }),
  };
  const after = soFar(slow.ours, slow.fresh);
  return {
    ...{ who, scenario, looks: [ours.looks.length, fresh.looks.length] },
    characters: [characters(ours), characters(fresh)],
    tokens: [total(ours), total(template)],
    placed: total(fresh),
    after,
    slow,
  };
}

/** Returns the totals up to each round, in % of the totals with new sessions. */
function soFar(ours, fresh) {
  return ours.map((_, n) => share(sum(ours.slice(0, n + 1)), sum(fresh.slice(0, n + 1))));
}

function printIntroduction() {
  const { specify, implement } = sample.phases;
  const lines = (text) => text.split('\n').length - 1;
  console.log(`Simulated: review loops of five rounds with Claude Code ${claudeVersion}, whose model is the simulator.

specify, one reviewer: spec.md of 16,000 characters (${lines(specify.versions[0])} lines) in the prompt. implement, three reviewers: code of 16,000
characters (${lines(implement.versions[0])} lines) that the prompt names and a reviewer in a new session opens. About 6 % of the lines change before each round.
A: a review in a new session opens one more file of 4,000 characters. B: eight more files. A resumed session already has them.
Compared with: the same five rounds by all reviewers, each in a new session, with the whole template (I1-R4) as the prompt.
characters: specify, of prompts; implement, of prompts and opened files. tokens: input, written to the cache 1.25, read from it 0.1.
10 minutes: the time between rounds; resumed sessions are cached for an hour (written 2.0). Totals up to round 2 and up to the last round.
`);
}

function printCases() {
  const rows = cases.map(({ who, scenario, looks, characters, tokens, after }) => {
    const [sent, paid] = [share(...characters), share(...tokens)];
    return [
      `${scenario}, ${REVIEWERS[who]}`,
      looks.join(' / '),
      ...[beside(characters), percent(sent)],
      ...[beside(tokens), percent(paid)],
      ...[percent(after[1]), percent(after.at(-1))],
    ];
  });
  table([['% of new sessions', 'reviews', 'characters', '%', 'weighted tokens', '%', '10 min: 2', '5'], ...rows]);
}

/** Reports the rows of a case that have a limit. */
function reportCase({ who, scenario, characters, tokens, after, slow }) {
  const of = `five rounds, ${REVIEWERS[who]}, ${OPENS[scenario]}`;
  const simulated = `Claude Code ${claudeVersion}`;
  const row = (key, what, unit, [figure, fresh], ratio) =>
    report({
      id: `${scenario}-${who.replace(/\W+/g, '-')}-${key}`,
      what: `${of}: ${what}`,
      ...{ figure: Math.round(figure), unit, simulated, limit: { ratio } },
      beside: [{ what: 'a new session for every review', figure: Math.round(fresh) }],
    });
  row('characters', 'characters sent and opened', 'characters', characters, LIMITS.characters);
  row('tokens', 'input', 'weighted tokens', tokens, LIMITS.tokens[scenario]);
  // The first round saves nothing, and the longer cache costs more to write, so round 2 is the earliest that can count.
  const dearest = after.indexOf(Math.max(...after.slice(1)), 1) + 1;
  const until = (rounds) => sum(rounds.slice(0, dearest));
  const what = `input with ten minutes between rounds, at its worst (after round ${dearest})`;
  row('later', what, 'weighted tokens', [until(slow.ours), until(slow.fresh)], LIMITS.later);
}

/** Prints figures that have no limit. */
function printUnlimited() {
  console.log('Without a limit:');
  for (const { who, scenario, tokens, placed } of cases) {
    const figure = percent(share(tokens[0], placed));
    console.log(
      `  ${scenario}, ${REVIEWERS[who]}: ${figure} % of the tokens, compared with new sessions with the prompts that onceover sends`,
    );
  }
  for (const scenario of SCENARIOS) {
    const [more, template] = ['opens more', 'template'].map((key) => total(played[`specify ${scenario} ${key}`]));
    const figure = percent(share(more, template));
    console.log(
      `  ${scenario}, one reviewer that opens another 4,000 characters in each resumed round: ${figure} % of the tokens`,
    );
  }
  // Before the second round, onceover does not know the time between rounds.
  const auto = later(played['specify A kept'].rounds, { gapMs: TEN_MINUTES_MS, ttl: (n) => (n === 1 ? '5m' : '1h') });
  const cold = later(played['specify A template'].rounds, { gapMs: TEN_MINUTES_MS, ttl: FIVE_MINUTES });
  const [, second, third, , last] = soFar(auto, cold).map(percent);
  console.log(
    `  A, one reviewer, 10 minutes, the first loop in a clone with "cache_ttl: auto": ${second} % after two rounds, ${third} % after three, ${last} % after five`,
  );
  const { looks } = played['implement A kept'];
  const opening = new Map(
    looks.filter(({ dispatch }) => dispatch === 'fresh').map((one) => [one.role, one.prompt_chars]),
  );
  const resumed = looks.filter(({ dispatch }) => dispatch === 'resumed');
  const tooLong = resumed.filter(({ role, prompt_chars }) => prompt_chars > opening.get(role) / 2).length;
  const typical = Math.round(median(resumed.map(({ prompt_chars }) => prompt_chars)));
  const { tokens, placed } = cases.find(({ who }) => who === 'three, none passes');
  console.log(
    `  implement uses the default "delta_guard: auto" here. With "prompt", ${tooLong} of ${resumed.length} resumed prompts of A (median ${number(typical)} characters) are too long; with only new sessions, it is ${percent(share(placed, tokens[1]))} % of the tokens`,
  );
  const prompts = ['kept', 'fresh'].map((key) => played[`implement A ${key}`].sent);
  console.log(
    `  implement, three reviewers that never pass: ${beside(prompts)} characters of prompts, ${percent(share(...prompts))} %; the prompts only name the files`,
  );
}

function table(rows) {
  const widths = rows[0].map((_, n) => Math.max(...rows.map((row) => row[n].length)));
  for (const row of rows) {
    console.log(row.map((cell, n) => (n === 0 ? cell.padEnd(widths[n]) : cell.padStart(widths[n]))).join('  '));
  }
  console.log('');
}

function total({ rounds }) {
  return sum(rounds.map(weightedInput));
}

function sum(list) {
  return list.reduce((all, one) => all + one, 0);
}

function share(part, whole) {
  return (part / whole) * 100;
}

function beside(figures) {
  return figures.map((one) => number(Math.round(one))).join(' / ');
}

function percent(figure) {
  return figure.toFixed(1);
}

function number(figure) {
  return figure.toLocaleString('en');
}
