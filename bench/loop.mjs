// What review loops of five rounds cost beside fresh looks in every round: the built program and the real Claude Code, whose model
// is the simulator, so that every figure of tokens is simulated. LOOP_SEED.
import { makeSample, ROUNDS } from './support/loop-sample.mjs';
import { later, weighed } from './support/loop-tokens.mjs';
import { median } from './support/measure.mjs';
import { claudeVersion, endSimulator, playPhase, playTemplate, whatIsMissing } from './support/play-phase.mjs';
import { notMeasured, report } from './support/rows.mjs';

const LIMITS = { characters: 0.4, tokens: { A: 0.55, B: 0.4 }, later: 1 };
const TEN_MINUTES_MS = 600_000;
const FIVE_MINUTES = () => '5m';
const AT_ONCE = 2;
const OPENS = { A: 'one file opened', B: 'eight files opened' };

const started = performance.now();
const sample = makeSample(Number(process.env.LOOP_SEED ?? 1));
const never = () => false;
// The second and the third pass in round 2 and rest; the first passes in round 5, and final validation asks all.
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
tellWhat();
const cases = SCENARIOS.flatMap((scenario) => [
  caseOf('one reviewer', 'specify', scenario, played[`specify ${scenario} kept`]),
  caseOf('three, as they pass', 'implement', scenario, played[`implement ${scenario} as they pass`]),
  caseOf('three, none passes', 'implement', scenario, played[`implement ${scenario} kept`]),
]);
tellCases();
for (const one of cases) reportCase(one);
tellMore();
console.log(`${((performance.now() - started) / 1000).toFixed(0)} s`);

/** Every loop, two at a time. */
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

/** A loop that went another way than it is told of would be measured in vain. */
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
    throw new Error(`${key}: ${looks.length} looks, ${resumed} of them resumed`);
  }
  // What the simulator counted is what its cache says of the same requests with no time between them.
  const [counted, again] = [rounds.map(weighed), later(rounds, { gapMs: 0, ttl: FIVE_MINUTES })];
  if (counted.some((one, n) => Math.abs(one - again[n]) > 1)) throw new Error(`${key}: ${counted} is not ${again}`);
}

function caseOf(who, name, scenario, ours) {
  const fresh = played[`${name} ${scenario} fresh`];
  const template = played[`${name} ${scenario} template`];
  // A document is in the prompt; code is opened.
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

/** What all rounds up to each one come to, in % of the fresh ones. */
function soFar(ours, fresh) {
  return ours.map((_, n) => share(sum(ours.slice(0, n + 1)), sum(fresh.slice(0, n + 1))));
}

function tellWhat() {
  const { specify, implement } = sample.phases;
  const lines = (text) => text.split('\n').length - 1;
  console.log(`Simulated: review loops of five rounds with Claude Code ${claudeVersion}, whose model is the simulator.

specify, one reviewer: spec.md of 16,000 characters (${lines(specify.versions[0])} lines) in the prompt. implement, three reviewers: code of 16,000
characters (${lines(implement.versions[0])} lines) that the prompt names and whoever begins anew opens. About 6 % of the lines change before each round.
A: a look that begins anew opens one file besides, of 4,000 characters. B: eight of them. A resumed one has them.
Beside it: the same five rounds by all reviewers, each look fresh, with the whole template (I1-R4) as the prompt.
characters: specify, of prompts; implement, of prompts and what is opened. tokens: input, written to the cache 1.25, read from it 0.1.
10 minutes: rounds so far apart, ours kept for an hour (written 2.0); all rounds up to the second, and up to the last.
`);
}

function tellCases() {
  const rows = cases.map(({ who, scenario, looks, characters, tokens, after }) => {
    const [sent, paid] = [share(...characters), share(...tokens)];
    return [
      `${scenario}, ${who}`,
      looks.join(' / '),
      ...[beside(characters), percent(sent)],
      ...[beside(tokens), percent(paid)],
      ...[percent(after[1]), percent(after.at(-1))],
    ];
  });
  table([['% of fresh', 'looks', 'characters', '%', 'weighed tokens', '%', '10 min: 2', '5'], ...rows]);
}

/** What is promised of a case. */
function reportCase({ who, scenario, characters, tokens, after, slow }) {
  const of = `five rounds, ${who}, ${OPENS[scenario]}`;
  const simulated = `Claude Code ${claudeVersion}`;
  const tell = (key, what, unit, [figure, fresh], ratio) =>
    report({
      id: `${scenario}-${who.replace(/\W+/g, '-')}-${key}`,
      what: `${of}: ${what}`,
      ...{ figure: Math.round(figure), unit, simulated, limit: { ratio } },
      beside: [{ what: 'every look fresh', figure: Math.round(fresh) }],
    });
  tell('characters', 'sent and opened', 'characters', characters, LIMITS.characters);
  tell('tokens', 'input', 'weighed tokens', tokens, LIMITS.tokens[scenario]);
  // After one round nothing is spared yet, and the longer cache is dearer.
  const dearest = after.indexOf(Math.max(...after.slice(1)), 1) + 1;
  const until = (rounds) => sum(rounds.slice(0, dearest));
  const what = `input, rounds ten minutes apart, at its dearest (after ${dearest})`;
  tell('later', what, 'weighed tokens', [until(slow.ours), until(slow.fresh)], LIMITS.later);
}

/** What is not promised, and good to know. */
function tellMore() {
  console.log('Without a limit:');
  for (const { who, scenario, tokens, placed } of cases) {
    const figure = percent(share(tokens[0], placed));
    console.log(`  ${scenario}, ${who}: ${figure} % of the tokens, beside fresh looks as onceover sends them`);
  }
  for (const scenario of SCENARIOS) {
    const [more, template] = ['opens more', 'template'].map((key) => total(played[`specify ${scenario} ${key}`]));
    const figure = percent(share(more, template));
    console.log(
      `  ${scenario}, one reviewer that opens another 4,000 characters in each round it is resumed in: ${figure} % of the tokens`,
    );
  }
  // Nothing is known of the time between rounds before the second.
  const auto = later(played['specify A kept'].rounds, { gapMs: TEN_MINUTES_MS, ttl: (n) => (n === 1 ? '5m' : '1h') });
  const cold = later(played['specify A template'].rounds, { gapMs: TEN_MINUTES_MS, ttl: FIVE_MINUTES });
  const [, second, third, , last] = soFar(auto, cold).map(percent);
  console.log(
    `  A, one reviewer, 10 minutes, the first loop of a clone with "cache_ttl: auto": ${second} % after two rounds, ${third} % after three, ${last} % after five`,
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
    `  implement has "delta_guard: effective" here: by "prompt", ${tooLong} of ${resumed.length} resumed prompts of A (median ${number(typical)} characters) are too long; all fresh, it is ${percent(share(placed, tokens[1]))} % of the tokens`,
  );
  const prompts = ['kept', 'fresh'].map((key) => played[`implement A ${key}`].sent);
  console.log(
    `  implement, none passes: ${beside(prompts)} characters of prompts alone, ${percent(share(...prompts))} %; the prompts only name the files`,
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
  return sum(rounds.map(weighed));
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
