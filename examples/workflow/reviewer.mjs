// A reviewer without a model: it knows one mistake for each criterion of the job. It answers like any command agent: it
// reads the prompt from standard input and prints one JSON object.
import { appendFileSync } from 'node:fs';

let prompt = '';
for await (const chunk of process.stdin) prompt += chunk;
if (process.env.REVIEWS_LOG) appendFileSync(process.env.REVIEWS_LOG, `${JSON.stringify(prompt)}\n`);

const [asked, outputs = ''] = prompt.split('==================== BEGIN OUTPUTS ====================');
const sentences = outputs.split(/[.!?](?:\s|$)/).length - 1;
const known = {
  Sourced: [/^Source: \S/m.test(outputs), 'It has no line "Source:", so readers cannot check it.'],
  'To the point': [true, null],
  Independent: [new Set(outputs.match(/^Source: .*/gm)).size > 1, 'All notes come from one source.'],
  Answers: [true, null],
  Traceable: [/\[notes\/.+\]/.test(outputs), 'Claims do not name the notes that they come from.'],
  Short: [sentences <= 5, 'It is longer than five sentences.'],
};
const criteria_results = Object.entries(known)
  .filter(([criterion]) => asked.includes(`**${criterion}**`))
  .map(([criterion, [passed, feedback]]) => ({ criterion, passed, feedback: passed ? null : feedback }));
const failed = criteria_results.filter(({ passed }) => !passed);
const feedback = failed.length === 0 ? 'Fine.' : failed.map((one) => one.feedback).join(' ');
console.log(JSON.stringify({ passed: failed.length === 0, feedback, criteria_results }));
