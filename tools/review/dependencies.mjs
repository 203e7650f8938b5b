// Checks that every package has a reason in DECISIONS.md and an exact version.
import { answer } from './answer.mjs';
import { problemAt, textOf } from './files.mjs';

const decisions = textOf('DECISIONS.md');
const lines = textOf('package.json').split('\n');
const { dependencies = {}, devDependencies = {} } = JSON.parse(lines.join('\n'));
const all = Object.entries({ ...dependencies, ...devDependencies });

await answer('reasons and versions of packages', () => all.flatMap(problemsOf));

function problemsOf([name, version]) {
  const line = lines.findIndex((text) => text.includes(`"${name}":`)) + 1;
  const at = (about) => problemAt('package.json', line, { code: lines[line - 1].trim(), ...about });
  return [
    ...(isNamed(name)
      ? []
      : [
          at({
            issue: `DECISIONS.md does not say what ${name} is for.`,
            fix: 'Add the package to the list under "Every dependency has a reason".',
          }),
        ]),
    ...(/^\d+\.\d+\.\d+/.test(version)
      ? []
      : [
          at({
            issue: `${name} has no exact version.`,
            fix: 'Pin the version of the lockfile.',
            priority: 'high',
          }),
        ]),
  ];
}

// A package of types shares the reason of its package.
function isNamed(name) {
  const own = name.replace(/^@types\//, '');
  return own === 'node' || new RegExp(`(?<![\\w/-])${own.replaceAll('/', '\\/')}(?![\\w/-])`).test(decisions);
}
