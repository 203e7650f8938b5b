import type { Settings } from '@onceover/repo/config/settings';
import { parseSettings } from '@onceover/repo/src/config/parse-settings.ts';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import codeQuality from '../../src/setup/code-quality.md';
import { checkCommands } from '../../src/setup/detect/checks.ts';
import { starterGates, starterSettings } from '../../src/setup/starter-settings.ts';
import type { CheckCommand } from '../../src/setup/types.ts';

const PROMPT = '.onceover/reviews/code-quality.md';
const LINT: CheckCommand = { name: 'lint', run: 'npm run lint', timeoutSeconds: 300 };
const NOTHING = { checks: [], exclude: [], packages: [] };

function readSettings(text: string): Settings {
  const result = parseSettings(text);
  if (!result.ok) throw new Error(JSON.stringify(result.problems));
  return result.settings;
}

const { gates: _none, ...defaults } = readSettings('');

describe('a first onceover.yml', () => {
  test('contains the agents, checks and excludes of the project, and runs the checks for excluded files too', () => {
    const exclude = ['**/*.snap', 'yarn.lock'];
    const settings = readSettings(starterSettings(['claude', 'codex'], { ...NOTHING, checks: [LINT], exclude }));
    const { gates, ...others } = settings;
    expect(others).toEqual({ ...defaults, agents: ['claude', 'codex'], unchangedGates: 'rest', failOn: 'medium' });
    expect(gates).toMatchObject([
      { path: '.', exclude: [], checks: { lint: { run: 'npm run lint', timeoutSeconds: 300 } }, reviews: {} },
      { path: '.', exclude, reviews: { 'code-quality': { prompt: PROMPT, numReviews: 1, agents: null } } },
    ]);
  });

  test('has one review per package in a workspace, and checks for the whole repository', () => {
    const facts = { checks: [LINT], exclude: ['**/*.snap', 'yarn.lock'], packages: ['packages/*', 'apps/web'] };
    const reviews = { 'code-quality': { prompt: PROMPT, numReviews: 1 } };
    expect(readSettings(starterSettings(['claude'], facts)).gates).toMatchObject([
      { path: '.', exclude: [], checks: { lint: { run: 'npm run lint' } }, reviews: {} },
      { path: 'packages/*', exclude: ['**/*.snap'], checks: {}, reviews },
      { path: 'apps/web', exclude: ['**/*.snap'], checks: {}, reviews },
      { path: '.', exclude: ['packages/**', 'apps/web/**', '**/*.snap', 'yarn.lock'], checks: {}, reviews },
    ]);
  });

  test('has no entry without gates in a workspace without checks', () => {
    const { gates } = readSettings(starterSettings(['claude'], { ...NOTHING, packages: ['packages/*'] }));
    expect(gates.map(({ path, reviews }) => [path, Object.keys(reviews)])).toEqual([
      ['packages/*', ['code-quality']],
      ['.', ['code-quality']],
    ]);
  });

  test('is valid without agents, checks and lockfiles, and shows where they go', () => {
    const text = starterSettings([], NOTHING);
    expect(readSettings(text)).toMatchObject({
      agents: null,
      agent: {},
      gates: [{ path: '.', exclude: [], checks: {} }],
    });
    expect(text).toMatch(/^# agents: .*onceover doctor/m);
    expect(text).toMatch(/^ {4}# checks: /m);
  });

  test('has comments that can be uncommented as they are', () => {
    const settings = readSettings(
      starterSettings([], NOTHING)
        .replace('        num_reviews: 1\n', '')
        .replace(/^( *)# (?=(?:agents|agent|checks|num_reviews): | {2}\w+: )/gm, '$1'),
    );
    expect(settings.agents).toEqual(['claude', 'codex']);
    expect(settings.agent['house']?.command).toEqual(['./tools/reviewer.sh']);
    expect(settings.gates[0]?.checks['test']).toEqual({ run: './test.sh', timeoutSeconds: 900 });
    expect(settings.gates[0]?.reviews['code-quality']?.numReviews).toBe(2);
  });

  test('has gates that can be added to settings without gates', () => {
    const facts = { ...NOTHING, checks: [LINT] };
    expect(starterSettings([], facts)).toContain(`\n${starterGates(facts)}`);
    expect(readSettings(`base: develop\n${starterGates(facts)}`)).toMatchObject({
      base: 'develop',
      gates: [{ checks: { lint: { run: 'npm run lint' } }, reviews: { 'code-quality': { prompt: PROMPT } } }],
    });
  });

  test('keeps every command unchanged', () => {
    const sources: readonly Readonly<Record<string, string>>[] = [
      { 'package.json': '{"scripts":{"lint":"x","test":"vitest","check:types":"tsc"}}' },
      { 'package.json': '{"scripts":{"check":"x","test:ci":"x"}}', 'bun.lock': '' },
      { 'Cargo.toml': '[workspace]', 'clippy.toml': '' },
      { 'pyproject.toml': '[tool.ruff]\n[tool.mypy]\n[tool.pytest]', 'uv.lock': '' },
      { 'go.mod': 'module x' },
      { 'composer.json': '{"scripts":{"test:types":"x"}}' },
      { Gemfile: 'gem "rubocop"\ngem "rspec"' },
      { 'mix.exs': '{:credo' },
      { 'build.gradle': '', gradlew: '' },
      { 'pom.xml': '' },
    ];
    for (const files of sources) {
      const root = { names: new Set(Object.keys(files)), texts: new Map(Object.entries(files)) };
      const { checks } = checkCommands(root);
      const checkSettings = readSettings(starterSettings(['claude'], { ...NOTHING, checks })).gates[0]?.checks;
      expect(checks.length).toBeGreaterThan(0);
      expect(checkSettings).toEqual(
        Object.fromEntries(checks.map(({ name, run, timeoutSeconds }) => [name, { run, timeoutSeconds }])),
      );
    }
  });

  test('is valid for every mixture, in lines that fit a terminal', () => {
    const globs = ['**/*.min.js', '**/*.snap', '**/yarn.lock', 'Cargo.lock', 'dist/**', 'go.sum', 'node_modules/**'];
    const agents = fc.shuffledSubarray(['claude', 'codex', 'gemini', 'opencode']);
    const names = fc.subarray(['lint', 'types', 'test', 'check'] as const);
    fc.assert(
      fc.property(agents, names, fc.subarray(globs), (installedAgents, checkNames, exclude) => {
        const checks = checkNames.map((name) => ({ ...LINT, name }));
        const text = starterSettings(installedAgents, { ...NOTHING, checks, exclude });
        const settings = readSettings(text);
        expect(settings.agents ?? []).toEqual(installedAgents);
        expect(settings.gates.at(-1)?.exclude).toEqual(exclude);
        expect(checks.length > 0 ? settings.gates[0]?.exclude.length : 0).toBe(0);
        expect(Object.keys(settings.gates[0]?.checks ?? {})).toEqual(checkNames);
        expect(text.split('\n').filter((line) => line.length > 78)).toEqual([]);
      }),
    );
  });
});

describe('the first prompt', () => {
  const lines = codeQuality.trimEnd().split('\n');

  test('is short, in lines that fit a terminal', () => {
    expect(lines.length).toBeGreaterThanOrEqual(40);
    expect(lines.length).toBeLessThanOrEqual(70);
    expect(lines.filter((line) => line.length > 78)).toEqual([]);
  });

  test('defines each priority once, and does not describe the format of the answer', () => {
    for (const priority of ['critical', 'high', 'medium', 'low'])
      expect(lines.filter((line) => line.startsWith(`- ${priority}: `))).toHaveLength(1);
    expect(codeQuality).not.toMatch(/json|schema|violations|status|verdict|you are/i);
  });
});
