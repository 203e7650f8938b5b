import { spawn, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { claude } from '../../../src/agents/claude.ts';
import { codex } from '../../../src/agents/codex.ts';
import { CLI, type CliEnd } from '../cli.ts';
import { cleanEnvironment } from '../repo.ts';
import { PROJECT } from './pages.ts';

/**
 * The repositories in which commands are tried.
 *
 * - fresh: a project that does not know onceover, with a change
 * - foreign: the same with the configuration of three other tools; coderabbit: with that of one
 * - set-up: gates, rules, two features and a job; nothing was ever run
 * - held: the same, after everything has passed
 * - open: the same, after F1 was found in src/a.ts, a feature was reviewed and a workflow begun
 */
export type House = 'fresh' | 'foreign' | 'coderabbit' | 'set-up' | 'held' | 'open';

const AGENTS = join(import.meta.dirname, 'agents.mjs');
const FEATURES = ['specs/login', 'docs/features/export'];

const PROJECT_FILES: Readonly<Record<string, string>> = {
  'package.json': '{ "name": "shop", "scripts": { "lint": "true", "test": "true" } }\n',
  'README.md': '# Shop\n',
  'docs/threat-model.md': 'Strangers send us orders.\n',
  'src/a.ts': 'export const a = 1;\n',
  'src/app.ts': 'export {};\n',
};

const FOREIGN: Readonly<Record<string, string>> = {
  '.coderabbit.yaml': 'reviews:\n  path_instructions:\n    - path: src/**\n      instructions: Look for mistakes.\n',
  '.gauntlet/config.yml': 'base_branch: main\nentry_points:\n  - path: src\n    reviews: [code]\n',
  '.gauntlet/reviews/code.md': 'Look for mistakes.\n',
  '.continue/checks/names.md': '---\nname: names\ndescription: Names say what a thing is.\n---\nLook at names.\n',
};

const SETTINGS = `agents: [codex, claude]
unchanged_gates: rest
agent:
  house: { command: [node, ${JSON.stringify(AGENTS)}, house, "1"] }
gates:
  - path: src
    checks:
      lint: { run: npm run lint, timeout: 120 }
    reviews:
      code-quality: { prompt: .onceover/reviews/code-quality.md, num_reviews: 2 }
`;

const RULES = `security:
  description: Looks for ways in for an attacker.
  match: { include: ["src/**/*.ts"] }
  review: { strategy: matches_together, instructions: Follow every input. }
`;

const OWN: Readonly<Record<string, string>> = {
  'onceover.yml': SETTINGS,
  '.deepreview': RULES,
  '.onceover/reviews/code-quality.md': 'Look for constants that nobody needs.\n',
  'notes/one.md': 'Source: https://example.org/tea\n\nTea is cheaper.\n',
  'notes/two.md': 'Source: https://example.com/coffee\n\nCoffee is liked.\n',
  'report.md': 'Both [notes/one.md].\n',
  ...Object.fromEntries(
    FEATURES.flatMap((folder) =>
      ['prd', 'spec', 'design', 'plan', 'tasks'].map((name) => [`${folder}/${name}.md`, `# ${name}\n\nIt is so.\n`]),
    ),
  ),
};

export type Houses = {
  /** A copy of a house, for one story. */
  copy(house: House): string;
  /** Gives a line to a shell there; without input there is no standard input. */
  run(root: string, line: string, input?: string): Promise<CliEnd>;
  remove(): void;
};

/** Builds houses when they are first needed. */
export function openHouses(): Houses {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'onceover-docs-')));
  const bin = binIn(folder);
  const built = new Set<House>();
  const env = (root: string): NodeJS.ProcessEnv => ({
    ...cleanEnvironment(dirname(root)),
    PATH: `${bin}:/usr/local/bin:/usr/bin:/bin`,
    RUNNER_TEMP: dirname(root),
  });
  const now = (root: string, ...lines: readonly (readonly [line: string, code: number])[]) => {
    for (const [line, code] of lines) {
      const end = spawnSync('bash', ['-c', line], { cwd: root, env: env(root), encoding: 'utf8' });
      if (end.status !== code) throw new Error(`${line} ended with ${end.status}: ${end.stdout}${end.stderr}`);
    }
  };
  const build = (house: House): string => {
    const root = join(folder, 'built', house, 'repo');
    if (!built.has(house))
      BUILDERS[house](root, {
        now,
        from: (other) => cpSync(dirname(build(other)), dirname(root), { recursive: true }),
      });
    built.add(house);
    return root;
  };
  let copies = 0;
  return {
    copy(house) {
      const own = join(folder, `${++copies}`);
      cpSync(dirname(build(house)), own, { recursive: true, preserveTimestamps: true });
      return join(own, 'repo');
    },
    run: (root, line, input) => shell(root, line, env(root), input),
    remove: () => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }),
  };
}

type Tools = {
  /** Does one thing after the other, each of which must end as it says. */
  now(root: string, ...lines: readonly (readonly [line: string, code: number])[]): void;
  from(house: House): void;
};

const BUILDERS: Readonly<Record<House, (root: string, tools: Tools) => void>> = {
  fresh: (root, { now }) => settle(root, PROJECT_FILES, now),
  foreign: (root, { now }) => settle(root, { ...PROJECT_FILES, ...FOREIGN }, now),
  coderabbit: (root, { now }) => {
    const file = '.coderabbit.yaml';
    settle(root, { ...PROJECT_FILES, [file]: FOREIGN[file] ?? '' }, now);
  },
  'set-up': (root, { now }) => {
    cpSync(join(PROJECT, 'examples/workflow/.deepwork'), join(root, '.deepwork'), { recursive: true });
    settle(root, { ...PROJECT_FILES, ...OWN }, now);
  },
  held: (root, { from, now }) => {
    from('set-up');
    now(root, ['onceover run', 0]);
  },
  open: (root, { from, now }) => {
    from('set-up');
    writeFileSync(join(root, 'src/a.ts'), 'export const a = 1;\nexport const b = 2;\n');
    now(
      root,
      ['onceover run', 1],
      ...FEATURES.map((feature) => [`onceover phase specify ${feature} --no-commit`, 0] as const),
      ["onceover workflow start research_report --goal 'Tea or coffee?'", 0],
    );
  },
};

/** A repository with these files on main, and a change on branch work. */
function settle(root: string, files: Readonly<Record<string, string>>, now: Tools['now']): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  now(root, ['git init -q -b main && git add -A && git commit -q -m first && git checkout -q -b work', 0]);
  writeFileSync(join(root, 'src/a.ts'), 'export const a = 1;\nexport const d = 4;\n');
}

/** The programs that a reader has: node, git and onceover, two agents, and an npm whose scripts succeed. */
function binIn(folder: string): string {
  const bin = join(folder, 'bin');
  mkdirSync(bin);
  symlinkSync(process.execPath, join(bin, 'node'));
  const scripts = {
    onceover: `exec "${process.execPath}" "${CLI}" "$@"`,
    npm: 'exit 0',
    claude: `exec "${process.execPath}" "${AGENTS}" claude "${claude.testedVersion} (Claude Code)" "$@"`,
    codex: `exec "${process.execPath}" "${AGENTS}" codex "codex-cli ${codex.testedVersion}" "$@"`,
  };
  for (const [name, text] of Object.entries(scripts)) {
    writeFileSync(join(bin, name), `#!/bin/sh\n${text}\n`, { mode: 0o755 });
  }
  return bin;
}

function shell(cwd: string, line: string, env: NodeJS.ProcessEnv, input: string | undefined): Promise<CliEnd> {
  return new Promise((done, reject) => {
    const child = spawn('bash', ['-o', 'pipefail', '-c', line], {
      cwd,
      env,
      stdio: [input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
      timeout: 30_000,
      killSignal: 'SIGKILL',
    });
    let [stdout, stderr] = ['', ''];
    child.stdout?.on('data', (chunk) => {
      stdout += chunk;
    });
    child.stderr?.on('data', (chunk) => {
      stderr += chunk;
    });
    child.on('error', reject);
    child.on('close', (code) => done({ code, stdout, stderr }));
    child.stdin?.on('error', () => {});
    child.stdin?.end(input);
  });
}
