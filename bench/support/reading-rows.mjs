// Plays and reports the rows of the benchmarks about shared readings. Every token figure is simulated: the real agent talks
// to the simulator.
import { endGateSimulator, playGates, playNaive, versionOf } from './play-gates.mjs';
import { report } from './rows.mjs';

/** The best known figures of another measurement with the same amounts of text, in weighted tokens. */
const GOALS = {
  'few files, warm': 83_318,
  'many files, warm': 153_168,
  'few files, pauses': 106_549,
  'many files, pauses': 188_093,
};
const OFF = 'share_reading: off\n';
const NAMES = { claude: 'Claude Code', codex: 'Codex', opencode: 'opencode' };
const sum = (rounds) => Math.round(rounds.reduce((all, { tokens }) => all + tokens, 0));
const simulated = (who) => ({ unit: 'weighted tokens', simulated: `${NAMES[who]} ${versionOf(who)}` });

/** Plays the named cases, or all of them. Each is a function that reports its rows. */
export async function playCases(cases) {
  const named = process.argv.slice(2);
  const unknown = named.filter((name) => !Object.hasOwn(cases, name));
  if (unknown.length > 0)
    console.error(`Unknown case: ${unknown.join(', ')}. Choose from: ${Object.keys(cases).join('; ')}.`);
  try {
    if (unknown.length > 0) process.exitCode = 2;
    else
      for (const [name, play] of Object.entries(cases))
        if (named.length === 0 || named.includes(name)) await play(name);
  } finally {
    await endGateSimulator();
  }
}

/** Reports five rounds of three reviews, beside the same reviews in new sessions and the reviews without shared readings. */
export async function playRegime(name, regime) {
  // In the second loop, onceover knows the pauses of the first one.
  const loops = regime.minutes === undefined ? 1 : 2;
  const shared = await playGates({ ...regime, loops });
  const fresh = await playGates({ ...regime, settings: `${OFF}cache_ttl: 5m\n`, args: ['--fresh'] });
  const naive = sum(await playNaive(fresh, regime));
  const alone = sum((await playGates({ ...regime, loops, settings: OFF })).filter(({ loop }) => loop === loops));
  const what = `three reviews, five rounds, ${name}`;
  const beside = [
    { what: 'a new session for every review', figure: naive },
    { what: 'without shared readings', figure: alone },
  ];
  const most = GOALS[name];
  const limit = most === undefined ? { ratio: 1 } : { most };
  const row = (id, title, rounds) =>
    report({ id, what: title, figure: sum(rounds), ...simulated('claude'), beside, limit });
  const id = name.replace(/\W+/g, '-');
  row(
    id,
    what,
    shared.filter(({ loop }) => loop === loops),
  );
  if (loops > 1)
    row(
      `${id}-first`,
      `${what}, the first loop in a clone`,
      shared.filter(({ loop }) => loop === 1),
    );
}

/** Reports the first and the second loop of reviewers that open the files of their reading again. */
export async function playAgain(name, regime) {
  const loopOf = (rounds, n) => sum(rounds.filter(({ loop }) => loop === n));
  const shared = await playGates({ ...regime, loops: 2, reopens: true });
  const alone = await playGates({ ...regime, loops: 2, settings: OFF });
  const fresh = await playGates({ ...regime, settings: `${OFF}cache_ttl: 5m\n`, args: ['--fresh'] });
  const naive = { what: 'a new session for every review', figure: sum(await playNaive(fresh, regime)) };
  const id = name.replace(/\W+/g, '-');
  const what = `three reviews, five rounds, ${name}, forks that open files again`;
  report({
    ...{ id: `${id}-first`, what: `${what}, the first loop in a clone`, figure: loopOf(shared, 1) },
    ...{ ...simulated('claude'), beside: [naive], limit: { ratio: 1 } },
  });
  const without = { what: 'without shared readings', figure: loopOf(alone, 2) };
  report({
    ...{ id, what: `${what}, the second loop`, figure: loopOf(shared, 2), ...simulated('claude') },
    ...{ beside: [without, naive], limit: { ratio: 1.01 } },
  });
}

/** Reports how the cost of one round grows with the number of reviews. */
export async function playGrowth(opens) {
  const one = sum(await playGates({ opens, reviews: 1, rounds: 1 }));
  const of = `${opens === 2 ? 'two' : 'eight'} files opened`;
  const beside = [{ what: 'a single review', figure: one }];
  for (const [id, how, count] of [
    ['six', { reviews: 6 }, 6],
    ['two-gates', { gates: 2, reviews: 3 }, 6],
  ]) {
    const all = sum(await playGates({ opens, rounds: 1, ...how }));
    // The reviews of a second gate see another change, so its first review is a full one.
    const full = how.gates ?? 1;
    const where = full === 1 ? 'six reviews of one change' : 'two gates with three reviews each';
    report({
      ...{ id: `further-${opens}-${id}`, what: `each further review, ${where}, ${of}`, beside, ...simulated('claude') },
      ...{ figure: Math.round((all - full * one) / (count - full)), limit: { ratio: 0.35 } },
    });
  }
}

/**
 * Reports five rounds of three reviews by another agent, beside the same reviews with `--fresh` and, if the agent can fork,
 * without shared readings.
 */
export async function playOther(name, { who, ...regime }) {
  const tokensOf = async (how) => sum(await playGates({ who, ...regime, ...how }));
  const beside = [
    { what: 'a new session for every review', figure: await tokensOf({ settings: OFF, args: ['--fresh'] }) },
    ...(who === 'opencode' ? [{ what: 'without shared readings', figure: await tokensOf({ settings: OFF }) }] : []),
  ];
  report({
    ...{ id: name.replace(/\W+/g, '-'), what: `three reviews, five rounds, ${name}`, ...simulated(who), beside },
    ...{ figure: await tokensOf({}), limit: { ratio: 1 } },
  });
}
