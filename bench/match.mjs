// Measures matching 100,000 paths against 500 rules, compared with testing every pair with picomatch.
import picomatch from 'picomatch';
import { matchRules } from '../dist/index.mjs';
import { report } from './support/rows.mjs';

const extensions = ['ts', 'tsx', 'js', 'py', 'go', 'md', 'json', 'css', 'sql', 'yml'];
const paths = Array.from({ length: 100_000 }, (_, n) => {
  const folders = [`team${n % 40}`, `package${n % 97}`, n % 3 === 0 ? 'src' : 'lib', `part${n % 11}`];
  return `${folders.join('/')}/file${n}${n % 7 === 0 ? '.test' : ''}.${extensions[n % extensions.length]}`;
});
const rules = Array.from({ length: 500 }, (_, n) => {
  const extension = extensions[n % extensions.length];
  const team = `team${n % 40}`;
  const include = [
    [`${team}/**/*.${extension}`],
    [`**/part${n % 11}/file${n}*.${extension}`],
    [`${team}/package${n % 97}/**`],
    [`${team}/*/{src,lib}/**/*.${extension}`],
    [`**/file${n}?.{${extension},md}`],
  ][n % 5];
  return { name: `rule${n}`, folder: '', include, exclude: ['**/*.test.*'] };
});

globalThis.gc?.();
const memoryBefore = process.memoryUsage().rss;
const start = performance.now();
const found = matchRules(rules, paths);
const took = (performance.now() - start) / 1000;
const memory = (process.memoryUsage().rss - memoryBefore) / 1e6;

// Test every pair for a sample of the paths only, spread evenly, and scale the time: all pairs take too long.
const part = paths.filter((_, n) => n % 50 === 0);
const pairStart = performance.now();
let pairMatches = 0;
for (const rule of rules) {
  const include = picomatch(rule.include, { dot: true });
  const exclude = picomatch(rule.exclude, { dot: true });
  for (const path of part) if (include(path) && !exclude(path)) pairMatches++;
}
const pairs = ((performance.now() - pairStart) / 1000) * (paths.length / part.length);
const inPart = new Set(part);
const ours = [...found.values()].reduce((sum, matched) => sum + matched.filter((path) => inPart.has(path)).length, 0);
if (ours !== pairMatches) throw new Error(`the two results differ: ${ours} and ${pairMatches} matches`);

report({
  id: 'time',
  what: '100,000 paths matched with 500 rules',
  figure: took,
  unit: 's',
  limit: { most: 1.5 },
});
report({
  id: 'every-pair',
  what: 'the same, compared with picomatch on every pair',
  figure: took,
  unit: 's',
  beside: [{ what: `every pair, scaled from ${part.length} paths`, figure: pairs }],
  limit: { ratio: 1 / 8 },
});
report({ id: 'memory', what: 'the same, memory used', figure: memory, unit: 'MB', limit: { most: 250 } });
