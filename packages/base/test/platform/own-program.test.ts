import { chmodSync, mkdirSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '@onceover/testing/repo.ts';
import { expect, test } from 'vitest';
import { ownProgram } from '../../src/platform/own-program.ts';

/** A machine with a program `onceover` in the given folders, and a CLI that was started through a symlink. */
function machine(...folders: readonly string[]) {
  const root = realpathSync(temporaryFolder());
  for (const folder of folders) {
    mkdirSync(join(root, folder), { recursive: true });
    writeFileSync(join(root, folder, 'onceover'), '#!/bin/sh\n');
    chmodSync(join(root, folder, 'onceover'), 0o755);
  }
  writeFileSync(join(root, 'cli.cjs'), '');
  symlinkSync('cli.cjs', join(root, 'link'));
  const PATH = ['bin', 'node_modules/.bin'].map((folder) => join(root, folder)).join(':');
  return { root, started: { execPath: '/usr/bin/node', argv: ['node', join(root, 'link')], env: { PATH } } };
}

test('is the name of the program if it is on PATH', () => {
  const { root, started } = machine('bin', 'node_modules/.bin');
  expect(ownProgram(root, started)).toEqual(['onceover']);
});

test('is npx without a download if the project depends on it', () => {
  const { root, started } = machine('node_modules/.bin');
  expect(ownProgram(root, started)).toEqual(['npx', '--no-install', 'onceover']);
});

test('is Node.js with the real path of this program otherwise, also outside a project', () => {
  const [nowhere, dependency] = [machine(), machine('node_modules/.bin')];
  expect(ownProgram(nowhere.root, nowhere.started)).toEqual(['/usr/bin/node', join(nowhere.root, 'cli.cjs')]);
  expect(ownProgram(null, dependency.started)).toEqual(['/usr/bin/node', join(dependency.root, 'cli.cjs')]);
});
