import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { claude } from '@onceover/agents/src/adapters/claude.ts';
import { codex } from '@onceover/agents/src/adapters/codex.ts';
import { CLI, type CliEnd } from '../cli.ts';
import { cleanEnvironment } from '../repo.ts';
import { AGENTS, FOREIGN, featureFiles, OWN, PROJECT_FILES } from './house-files.ts';
import { PROJECT } from './pages.ts';

/**
 * The repositories in which commands are tried.
 *
 * - fresh: a project that does not know onceover, with a change
 * - foreign: the same with the configuration of three other tools; coderabbit: with that of one
 * - set-up: gates, rules, features and a job; nothing was ever run
 * - held: the same, after everything has passed
 * - open: set up, and F1 was found in src/a.ts, features were reviewed and a workflow was begun
 */
export type House = 'fresh' | 'foreign' | 'coderabbit' | 'set-up' | 'held' | 'open';

export type Houses = {
  /** A copy of a house for one story. */
  copy(house: House): string;
  /** Runs a line in a shell in the copy; without input, there is no standard input. */
  run(root: string, line: string, input?: string): Promise<CliEnd>;
  /** Removes a copy, or all copies. */
  remove(root?: string): Promise<void>;
};

/** Builds houses when they are first needed. Houses that are set up have these feature folders. */
export function openHouses(features: readonly string[]): Houses {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'onceover-docs-')));
  const bin = binIn(folder);
  const built = new Set<House>();
  const env = (root: string): NodeJS.ProcessEnv => ({
    ...cleanEnvironment(dirname(root)),
    // The docs write global settings of git. In the usual /dev/null, git would replace the device by a file.
    GIT_CONFIG_GLOBAL: join(dirname(root), 'gitconfig'),
    PATH: bin,
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
    const from = (other: House) => cpSync(dirname(build(other)), dirname(root), { recursive: true });
    if (!built.has(house)) BUILDERS[house](root, { features, now, from });
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
    remove: (root) => rm(root === undefined ? folder : dirname(root), { recursive: true, force: true, maxRetries: 3 }),
  };
}

type Tools = {
  readonly features: readonly string[];
  /** Runs the lines one after another; each must end with its exit code. */
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
  'set-up': (root, { features, now }) => {
    cpSync(join(PROJECT, 'examples/workflow/.deepwork'), join(root, '.deepwork'), { recursive: true });
    settle(root, Object.assign({}, PROJECT_FILES, OWN, ...features.map(featureFiles)), now);
  },
  held: (root, { from, now }) => {
    from('set-up');
    now(root, ['onceover run', 0]);
  },
  open: (root, { features, from, now }) => {
    from('set-up');
    writeFileSync(join(root, 'src/a.ts'), 'export const a = 1;\nexport const b = 2;\n');
    now(
      root,
      ['onceover run', 1],
      ...features.map((feature) => [`onceover phase specify ${feature} --no-commit`, 0] as const),
      ["onceover workflow start research_report --goal 'Tea or coffee?'", 0],
    );
  },
};

/** Makes a repository with these files on main, and a change on branch work. */
function settle(root: string, files: Readonly<Record<string, string>>, now: Tools['now']): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  now(root, ['git init -q -b main && git add -A && git commit -q -m first && git checkout -q -b work', 0]);
  writeFileSync(join(root, 'src/a.ts'), 'export const a = 1;\nexport const d = 4;\n');
}

const TOOLS = ['bash', 'basename', 'cat', 'git', 'sh'];

/**
 * The programs of a reader: a shell, git, node and onceover, two agents, and an npm whose scripts succeed. Other
 * programs of this machine are hidden, because onceover would call an installed agent.
 */
function binIn(folder: string): string {
  const bin = join(folder, 'bin');
  mkdirSync(bin);
  symlinkSync(process.execPath, join(bin, 'node'));
  for (const tool of TOOLS) {
    const found = execFileSync('sh', ['-c', `command -v ${tool}`], { encoding: 'utf8' }).trim();
    symlinkSync(found, join(bin, tool));
  }
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
      timeout: 60_000,
      killSignal: 'SIGKILL',
    });
    // A server runs until someone stops it, so stop it after it has printed its link.
    if (/^onceover ui\b/.test(line)) child.stdout?.once('data', () => setTimeout(() => child.kill('SIGINT'), 300));
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
