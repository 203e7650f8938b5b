// Prints the section of CHANGELOG.md for a version: node tools/release-notes.mjs v0.1.0
// The tag must name the version in package.json, so that a release never describes another version.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** Returns the notes for a tag, or the problem that prevents the release. */
export function releaseNotes(tag, version, changelog) {
  if (tag !== `v${version}`) {
    const next = `Delete the tag with "git push --delete origin ${tag}", and correct the tag or the version.`;
    return { problem: `The tag ${tag} is not v${version}, the version in package.json. ${next}` };
  }
  const sections = changelog.split(/^(?=## )/m);
  const section = sections.find((text) => text.split('\n', 1)[0] === `## ${version}`) ?? '';
  const notes = section.slice(section.indexOf('\n')).trim();
  if (notes === '') {
    const next = `Rename the section "## Unreleased", and create the tag again.`;
    return { problem: `CHANGELOG.md has no section "## ${version}" with text. ${next}` };
  }
  return { notes };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const fileAt = (path) => readFileSync(new URL(`../${path}`, import.meta.url), 'utf8');
  const { version } = JSON.parse(fileAt('package.json'));
  const { notes, problem } = releaseNotes(process.argv[2] ?? '', version, fileAt('CHANGELOG.md'));
  if (problem === undefined) process.stdout.write(`${notes}\n`);
  else console.error(problem);
  process.exitCode = problem === undefined ? 0 : 1;
}
