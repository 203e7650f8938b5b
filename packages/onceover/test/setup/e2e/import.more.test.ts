import { existsSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { onceover, onceoverJson } from '@onceover/testing/cli.ts';
import { repoWith, type TestRepo } from '@onceover/testing/repo.ts';
import { describe, expect, test } from 'vitest';
import type { SetUpDocument } from '../../../src/setup/json-schema.ts';

const readText = (repo: TestRepo, path: string) => readFileSync(join(repo.root, path), 'utf8');

const GAUNTLET = {
  '.gauntlet/config.yml': `base_branch: main
cli: { default_preference: [codex, cursor] }
entry_points:
  - path: .
    checks: [root]
  - path: src
    checks: [here]
    reviews: [layers]
`,
  '.gauntlet/checks/root.yml': 'command: test -f package.json\nworking_directory: .\n',
  '.gauntlet/checks/here.yml': 'command: test -f a.ts && test "$(basename "$PWD")" = src\n',
  '.gauntlet/reviews/layers.md': '---\nnum_reviews: 2\n---\n\n# Layers\n\nNo layer is skipped.\n',
};
const CODERABBIT = {
  '.coderabbit.yaml': `language: en-US
reviews:
  path_filters: ["!dist/**"]
  path_instructions:
    - { path: "src/**", instructions: "Every name says what it is." }
    - { path: "docs/+(a|b)/**", instructions: "Plain words." }
`,
};
const CONTINUE = {
  '.continue/checks/secrets.md': '---\nname: Secrets\ndescription: No secrets.\n---\nNo keys in code.\n',
};

const project = (files: Readonly<Record<string, string>>) =>
  repoWith({ 'src/a.ts': '1\n', 'package.json': '{}\n', ...files });

describe('init --from', () => {
  test.each([
    ['gauntlet', GAUNTLET, ['.', 'src'], { 'layers.md': '# Layers\n\nNo layer is skipped.\n' }],
    [
      'coderabbit',
      CODERABBIT,
      ['.', 'src'],
      { 'src.md': 'Every name says what it is.\n', 'docs-a-b.md': 'Plain words.\n' },
    ],
    ['continue', CONTINUE, ['.'], { 'secrets.md': 'No keys in code.\n' }],
  ] as const)(
    'imports %s: the result runs, is shown, and stays the same the second time',
    async (tool, files, paths, prompts) => {
      const repo = project(files);
      const first = await onceover(repo.root, ['init', '--from', tool]);
      expect([first.code, first.stderr]).toEqual([0, '']);
      expect(first.stdout).toMatch(/^Imported from \.\S+ \(.+\), which stays unchanged\.\n\nWrote onceover\.yml:\n/);
      expect(first.stdout).toContain(
        `Wrote onceover.yml:\n\n${readText(repo, 'onceover.yml')
          .trimEnd()
          .replace(/^(?=.)/gm, '  ')}\n`,
      );
      for (const [name, text] of Object.entries(prompts)) {
        expect(readText(repo, `.onceover/reviews/${name}`)).toBe(text);
        expect(first.stdout).toContain(`\nWrote .onceover/reviews/${name} (`);
      }

      repo.write('src/a.ts', '2\n');
      const dryRun = await onceover(repo.root, ['run', '--dry-run', '--json', '--base', 'main']);
      expect([dryRun.code, dryRun.stderr]).toEqual([1, '']);
      const { gates } = JSON.parse(dryRun.stdout) as { gates: { id: string }[] };
      expect([...new Set(gates.map(({ id }) => id.split(':')[1]))]).toEqual(paths);

      const projectFiles = readdirSync(repo.root, { recursive: true }).filter(
        (path) => !String(path).startsWith('.git/'),
      );
      const before = readText(repo, 'onceover.yml');
      const again = await onceover(repo.root, ['init', '--from']);
      expect(again.stdout).toMatch(
        /^\.\S+ \(.+\) has been imported already\.\n\nonceover\.yml already exists and was left unchanged\.\n/,
      );
      expect(again.stdout).not.toContain('Wrote');
      expect(readText(repo, 'onceover.yml')).toBe(before);
      expect(readdirSync(repo.root, { recursive: true }).filter((path) => !String(path).startsWith('.git/'))).toEqual(
        projectFiles,
      );
    },
  );

  test('lists what was not imported, with its position', async () => {
    const repo = project(CODERABBIT);
    const document = await onceoverJson<SetUpDocument>(repo.root, ['init', '--from', 'coderabbit']);
    expect(document.carried_over?.not_carried_over).toEqual([
      '.coderabbit.yaml:1:1: it also reviews everything by built-in rules; our code-quality review replaces them',
      '.coderabbit.yaml:1:1: onceover has no setting like language',
      expect.stringMatching(
        /^\.coderabbit\.yaml:6:15: "docs\/\+\(a\|b\)\/\*\*" has a group .* \.onceover\/reviews\/docs-a-b\.md: add a review for it$/,
      ),
    ]);
  });

  test('runs imported checks in their folders, without asking for approval again', async () => {
    const repo = project({ ...GAUNTLET, '.gauntlet/reviews/layers.md': '' });
    await onceover(repo.root, ['init', '--from', 'gauntlet']);
    repo.write('src/a.ts', '2\n');
    const end = await onceover(repo.root, ['run', '--started-by-agent', '--json', '--gate', 'root', 'here']);
    const { gates } = JSON.parse(end.stdout) as { gates: { id: string; status: string }[] };
    expect([end.code, ...gates.map(({ id, status }) => `${id} ${status}`)]).toEqual([
      0,
      'check:.:root pass',
      'check:src:here pass',
    ]);
  });

  test('never changes an existing onceover.yml: shows what it lacks, and writes the prompts', async () => {
    const settings = 'gates: [{ path: src, reviews: { mine: { prompt: .onceover/reviews/src.md } } }]\n';
    const repo = project({ ...CODERABBIT, 'onceover.yml': settings, '.onceover/reviews/src.md': 'Mine.\n' });
    const end = await onceover(repo.root, ['init', '--from', 'coderabbit']);
    expect([end.code, readText(repo, 'onceover.yml'), readText(repo, '.onceover/reviews/src.md')]).toEqual([
      0,
      settings,
      'Mine.\n',
    ]);
    expect(end.stdout).toContain('onceover.yml lacks some of these checks and reviews. Add these lines to it:');
    expect(end.stdout).toContain('      code-quality:\n          prompt: .onceover/reviews/code-quality.md\n');
    // A prompt that the settings use was imported before.
    expect(end.stdout).not.toContain('      src:\n');
    expect(existsSync(join(repo.root, '.onceover/reviews/code-quality.md'))).toBe(true);
  });

  test.each([
    [
      'coderabbit',
      '.coderabbit.yaml',
      'reviews:\n  path_instructions:\n    - path: [a]\n      instructions: x\n',
      ':3:13: ',
    ],
    ['gauntlet', '.gauntlet/config.yml', 'entry_points: 5\n', ':1:15: '],
    ['continue', '.continue/checks/a.md', '---\nname: {\n---\nx\n', ':3:1: '],
  ])(
    'reports the position of a problem in %s with exit code 2, and writes nothing',
    async (tool, file, text, place) => {
      const repo = project({ [file]: text });
      const end = await onceover(repo.root, ['init', '--from', tool]);
      expect([end.code, end.stdout]).toEqual([2, '']);
      expect(end.stderr).toContain(`onceover: ${file}${place}`);
      expect(repo.git('status', '--porcelain', '-uall')).toBe('');
    },
  );

  test('fails unless exactly one configuration is found', async () => {
    const [emptyProject, doubleProject] = [project({}), project({ ...CODERABBIT, ...CONTINUE })];
    const ends = await Promise.all([
      onceover(emptyProject.root, ['init', '--from']),
      onceover(emptyProject.root, ['init', '--from', 'gauntlet']),
      onceover(emptyProject.root, ['init', '--from', 'constructor']),
      onceover(doubleProject.root, ['init', '--from']),
    ]);
    expect(ends.map(({ code, stdout }) => [code, stdout])).toEqual(ends.map(() => [2, '']));
    expect(ends.map(({ stderr }) => stderr.split('\n')[0])).toEqual([
      'onceover: There is nothing to import: .gauntlet/config.yml, .coderabbit.yaml, .continue/checks/*.md do not exist here.',
      'onceover: There is nothing to import: .gauntlet/config.yml does not exist here.',
      'onceover: init --from supports "gauntlet", "coderabbit" and "continue", not "constructor".',
      'onceover: More than one configuration can be imported. Choose one: --from coderabbit (CodeRabbit), --from continue (Continue).',
    ]);
    expect(doubleProject.git('status', '--porcelain', '-uall')).toBe('');
  });

  test('is only suggested by init without --from', async () => {
    const repo = project({ ...CONTINUE, ...GAUNTLET });
    const end = await onceover(repo.root, ['init']);
    expect(end.stdout).toContain('agent gauntlet is set up here: "onceover init --from gauntlet" ');
    expect(end.stdout).toContain('Continue is set up here: "onceover init --from continue" ');
    expect(readdirSync(join(repo.root, '.onceover/reviews'))).toEqual(['code-quality.md']);
    const document = await onceover(repo.root, ['init', '--json']);
    expect(JSON.parse(document.stdout)).not.toHaveProperty('also_here');
  });

  test('reads and writes nothing through a symlink', async () => {
    const repo = project({});
    const outside = dirname(repo.root);
    symlinkSync(outside, join(repo.root, '.continue'));
    symlinkSync(join(outside, 'gone'), join(repo.root, '.coderabbit.yaml'));
    expect((await onceover(repo.root, ['init', '--from'])).code).toBe(2);
    const linkedProject = project(CONTINUE);
    symlinkSync(dirname(linkedProject.root), join(linkedProject.root, '.onceover'));
    const end = await onceover(linkedProject.root, ['init', '--from']);
    expect([end.code, end.stdout, existsSync(join(linkedProject.root, 'onceover.yml'))]).toEqual([3, '', false]);
  });
});
