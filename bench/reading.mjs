// Measures what shared readings save: three reviews of one change in five rounds, with the built program and the real
// Claude Code, whose model is the simulator, so every token figure is simulated. It takes about ten minutes.
import { endGateSimulator, playGates, playNaive } from './support/play-gates.mjs';

const REGIMES = {
  'few files, warm': { opens: 1 },
  'many files, warm': { opens: 8 },
  'few files, pauses': { opens: 1, minutes: 10 },
  'many files, pauses': { opens: 8, minutes: 10 },
};
const OFF = 'share_reading: off\n';
const named = process.argv.slice(2);
const sum = (rounds) => Math.round(rounds.reduce((all, { tokens }) => all + tokens, 0));
const number = (figure) => figure.toLocaleString('en');

try {
  for (const [name, regime] of Object.entries(REGIMES)) {
    if (named.length > 0 && !named.some((one) => name.includes(one))) continue;
    // In the second loop, onceover knows the pauses of the first one.
    const loops = regime.minutes === undefined ? 1 : 2;
    const last = (played) => played.filter(({ loop }) => loop === loops);
    const shared = await playGates({ ...regime, loops });
    const alone = await playGates({ ...regime, loops, settings: OFF });
    const fresh = await playGates({ ...regime, settings: `${OFF}cache_ttl: 5m\n`, args: ['--fresh'] });
    const naive = sum(await playNaive(fresh, regime));
    const first = loops === 1 ? '' : ` (first loop ${number(sum(shared.slice(0, 5)))})`;
    console.log(
      `${name}: naive ${number(naive)}, without sharing ${number(sum(last(alone)))}, shared ${number(sum(last(shared)))}${first}`,
    );
    if (sum(last(shared)) > naive) process.exitCode = 1;
  }
  for (const opens of named.length === 0 ? [1, 8] : []) {
    const costs = [];
    for (const reviews of [1, 2, 3, 6]) costs.push(sum(await playGates({ opens, reviews, rounds: 1 })));
    const further = (costs[3] - costs[0]) / 5 / costs[0];
    const gates = sum(await playGates({ opens, gates: 2, reviews: 3, rounds: 1 }));
    console.log(
      `${opens} files, 1, 2, 3, 6 reviews: ${costs.map(number).join(', ')}; each further one ${further.toFixed(2)}`,
    );
    console.log(`${opens} files, 2 gates with 3 reviews each: ${number(gates)}`);
    if (further > 0.35) process.exitCode = 1;
  }
} finally {
  await endGateSimulator();
}
