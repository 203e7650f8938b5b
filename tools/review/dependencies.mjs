// Checks that every package has a reason in the record of dependencies and an exact version.
import { answer } from './answer.mjs';
import { filesIn, problemAt, textOf } from './files.mjs';

const RECORD = 'docs/decisions/0015-dependencies.md';

const record = textOf(RECORD);
const manifests = filesIn('package.json', ':(glob)packages/*/package.json', 'test/support/package.json');

await answer('reasons and versions of packages', () => manifests.flatMap(problemsIn));

function problemsIn(file) {
  const lines = textOf(file).split('\n');
  const { dependencies = {}, devDependencies = {} } = JSON.parse(lines.join('\n'));
  return Object.entries({ ...dependencies, ...devDependencies })
    .filter(([name]) => !name.startsWith('@onceover/'))
    .flatMap(([name, version]) => problemsOf({ file, lines, name, version }));
}

function problemsOf({ file, lines, name, version }) {
  const line = lines.findIndex((text) => text.includes(`"${name}":`)) + 1;
  const at = (about) => problemAt(file, line, { code: lines[line - 1].trim(), ...about });
  return [
    ...(hasReason(name)
      ? []
      : [at({ issue: `${RECORD} does not say what ${name} is for.`, fix: 'Add a line to the table of this record.' })]),
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

// A package of types shares the line of its package.
function hasReason(name) {
  const own = name.replace(/^@types\//, '');
  return own === 'node' || record.includes(`\n| \`${own}\` |`);
}
