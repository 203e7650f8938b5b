// A reviewer that needs no model: it knows two mistakes, and looks for them in the file under review. It answers as any
// command agent does: prompt on standard input, one JSON object on standard output.
import { readFileSync } from 'node:fs';

const [looksFor] = process.argv.slice(2);
let prompt = '';
for await (const chunk of process.stdin) prompt += chunk;

const lines = readFileSync('src/price.ts', 'utf8').split('\n');
const known = {
  crashes: {
    pattern: /reduce\(\(sum, one\) => sum \+ one\)/,
    issue: 'reduce has no initial value, so an empty list of prices throws.',
    fix: 'Give it 0 as the second argument.',
    priority: 'high',
  },
  rounding: {
    pattern: /toFixed\(1\)/,
    issue: 'Prices are rounded to one digit after the point: 9.99 becomes 10.0.',
    fix: 'Use toFixed(2).',
    priority: 'medium',
  },
}[looksFor];
const violations = lines.flatMap((code, i) =>
  known.pattern.test(code)
    ? [{ file: 'src/price.ts', line: i + 1, code, issue: known.issue, fix: known.fix, priority: known.priority }]
    : [],
);
const usage = { input_tokens: Math.ceil(prompt.length / 4), output_tokens: 60 + 90 * violations.length };
console.log(JSON.stringify({ status: violations.length === 0 ? 'pass' : 'fail', violations, usage }));
