// Measures reviewers that are APIs: three reviews of one change in five rounds, beside the same reviews through the real
// Claude Code or Codex, and beside new sessions of it. The model is the simulator, so every token figure is simulated. All
// regimes take about fifteen minutes. Names of regimes as arguments play only these; "--quick" leaves out the agent CLIs.
import { endGateSimulator, playGates, playNaive, versionOf } from './support/play-gates.mjs';
import { report } from './support/rows.mjs';

const PAIRS = {
  anthropic: { api: 'api', cli: 'claude', name: `Claude Code ${versionOf('claude')}`, of: 'Anthropic API' },
  openai: { api: 'openai', cli: 'codex', name: `Codex ${versionOf('codex')}`, of: 'OpenAI API' },
};

// The limits are the figures of a direct loop on another simulator, with shared reading. For OpenAI none is known.
const REGIMES = {
  'few files, warm': { opens: 2, most: 81_471 },
  'many files, warm': { opens: 8, most: 150_746 },
  'few files, pauses': { opens: 2, minutes: 10, most: 104_275 },
  'many files, pauses': { opens: 8, minutes: 10, most: 185_204 },
  'few files, warm, OpenAI': { opens: 2, pair: 'openai' },
  'many files, warm, OpenAI': { opens: 8, pair: 'openai' },
  'few files, pauses, OpenAI': { opens: 2, minutes: 10, pair: 'openai' },
  'many files, pauses, OpenAI': { opens: 8, minutes: 10, pair: 'openai' },
};
const TIMES = 5;
const isQuick = process.argv.includes('--quick');
const named = process.argv.slice(2).filter((one) => !one.startsWith('--'));
const isChosen = (name) => named.length === 0 || named.includes(name);
const unit = 'weighted tokens';
const sum = (rounds) => Math.round(rounds.reduce((all, { tokens }) => all + tokens, 0));

try {
  for (const [name, { most, pair = 'anthropic', ...regime }] of Object.entries(REGIMES)) {
    if (isChosen(name)) await playRegime(name, { regime, most, pair: PAIRS[pair] });
  }
  if (isChosen('time')) for (const pair of Object.values(PAIRS)) await playOneCall(pair);
} finally {
  await endGateSimulator();
}

async function playRegime(name, { regime, most, pair }) {
  // In the second loop, onceover knows the pauses of the first one.
  const loops = regime.minutes === undefined ? 1 : 2;
  const play = async (how) => {
    const rounds = await playGates({ ...regime, loops, ...how });
    return sum(rounds.filter(({ loop }) => loop === loops));
  };
  const beside = isQuick ? [] : await besideOthers(regime, pair, play);
  const id = name.replace(/\W+/g, '-');
  const what = `three reviews, five rounds, by API, ${name}`;
  const row = { unit, simulated: pair.of, beside };
  // A direct call may never cost more than the same reviews through the CLI.
  const limit = most === undefined ? (isQuick ? null : { ratio: 1 }) : { most };
  report({ ...row, id, what, figure: await play({ who: pair.api }), limit });
  const together = { id: `${id}-at-once`, what: `${what}, all files in one turn` };
  report({ ...row, ...together, figure: await play({ who: pair.api, atOnce: true }), limit });
}

/** Returns the figures of the CLI with onceover, and of a new session of the CLI for every review. */
async function besideOthers(regime, { cli, name }, play) {
  const withCli = await play({ who: cli });
  const fresh = await playGates({
    ...{ ...regime, who: cli },
    settings: 'share_reading: off\ncache_ttl: 5m\n',
    args: ['--fresh'],
  });
  return [
    { what: `onceover with ${name}`, figure: withCli },
    { what: `a new session of ${name} for every review`, figure: sum(await playNaive(fresh, { ...regime, who: cli })) },
  ];
}

/** Reports the time of a run with one review that answers at once, without opening a file. */
async function playOneCall({ api, cli, name, of }) {
  const times = { [api]: [], [cli]: [] };
  for (let n = 0; n < TIMES; n++) {
    for (const who of isQuick ? [api] : [api, cli]) {
      const [{ ms }] = await playGates({ who, opens: 0, rounds: 1, reviews: 1 });
      times[who].push(ms);
    }
  }
  const median = (all) => all.sort((a, b) => a - b)[Math.floor(all.length / 2)];
  const beside = isQuick ? [] : [{ what: `with ${name}`, figure: median(times[cli]) }];
  const what = '`onceover run` with one review of one request, by API';
  report({ id: `${api}-time`, what, figure: median(times[api]), unit: 'ms', simulated: of, beside, limit: null });
}
