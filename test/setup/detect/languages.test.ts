import { expect, test } from 'vitest';
import { projectShape } from '../../../src/setup/detect/languages.ts';

const shape = (...files: string[]) => {
  const found = projectShape(files);
  return { ...found, languages: found.languages.map((language) => language.name) };
};

test('sorts languages by their number of files', () => {
  expect(shape('a.go', 'b.py', 'c.py', 'src/d.PY').languages).toEqual(['Python', 'Go']);
});

test.each([
  [['README.md'], { languages: [], hasDocs: true, hasBuild: false }],
  [['.github/workflows/ci.yml'], { languages: [], hasDocs: false, hasBuild: true }],
  [['docker/Dockerfile.prod'], { languages: [], hasDocs: false, hasBuild: true }],
  [['infra/main.tf'], { languages: [], hasDocs: false, hasBuild: true }],
  [['notes.txt', 'Dockerfiles/readme'], { languages: [], hasDocs: false, hasBuild: false }],
  [[], { languages: [], hasDocs: false, hasBuild: false }],
])('finds the shape of %j', (files, expected) => {
  expect(shape(...files)).toEqual(expected);
});
