import { appendFileSync, chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { programOf, REAL_AGENTS, type RealAgent, settle, usersFolder } from '@onceover/testing/agent-clis.ts';
import { onceover } from '@onceover/testing/cli.ts';
import { DOORS, groupDoors, type PlantedDoor } from '@onceover/testing/doors/doors.ts';
import { type ModelSim, startModelSim } from '@onceover/testing/model-sim/server.ts';
import { repoWith, temporaryFolder } from '@onceover/testing/repo.ts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

let sim: ModelSim;
/** The folder with the scripts of the doors. It stays until the last door has been tried. */
const scripts = mkdtempSync(join(usersFolder(), 'doors-'));
beforeAll(async () => {
  for (const real of REAL_AGENTS) programOf(real);
  sim = await startModelSim();
});
afterAll(() => {
  rmSync(scripts, { recursive: true, force: true });
  return sim.close();
});

describe.each(REAL_AGENTS.map((real) => [real.agent.name, real] as const))('%s does not load', (name, real) => {
  const folder = mkdtempSync(join(scripts, `${name}-`));
  const groups = groupDoors(DOORS[name] ?? [], folder);
  const reviews = groups.map((doors, n) => shared(() => review(real, `${name}-${n}`, doors)));
  const all = groups.flatMap((doors, n) => doors.map((door) => [door.title, door, n] as const));

  test.each(all)('%s', async (_title, { planted }, n) => {
    const { code, said, sent } = (await reviews[n]?.()) ?? { code: null, said: 'no review', sent: '' };
    expect(code, said).toBe(0);
    expect(sent).toContain('export const total');
    expect(sent.includes(planted.text), 'the planted text reached the model').toBe(false);
    expect(existsSync(planted.ran), 'code of the repository ran').toBe(false);
  });
});

/** Returns a function that starts a review when it is first called. The doors of a group share that review. */
function shared(start: () => ReturnType<typeof review>): typeof start {
  let review: ReturnType<typeof start> | null = null;
  // The timing of real agents varies, so a review that does not pass gets a second try.
  const twice = async () => {
    const first = await start();
    return first.code === 0 ? first : start();
  };
  return () => {
    review ??= twice();
    return review;
  };
}

/** Has a change reviewed in a repository that contains the files of some doors, by a user who trusts the repository. */
async function review(real: RealAgent, label: string, doors: readonly PlantedDoor[]) {
  const { name } = real.agent;
  const folder = temporaryFolder(usersFolder());
  const { ONCEOVER_ACTIVE: _, ...env } = settle(real, folder, sim.baseUrl(label)).env;
  for (const { text, script, ran } of doors.map(({ planted }) => planted)) {
    const hookOutput = { hookSpecificOutput: { hookEventName: 'SessionStart', additionalContext: text } };
    writeFileSync(script, `echo x > ${ran}\necho '${JSON.stringify(hookOutput)}'\n`);
  }
  const files = Object.assign({}, ...doors.map((door) => door.files)) as PlantedDoor['files'];
  const repo = repoWith({
    'onceover.yml': `agents: [${name}]\nagent:\n  ${name}: { model: ${real.model}, env: ${QUIET} }\n${GATES}`,
    '.onceover/reviews/code.md': 'Look for wrong results.\n',
    'src/cart.ts': '',
    ...files,
  });
  for (const path of Object.keys(files).filter((one) => one.includes('/.bin/'))) {
    chmodSync(join(repo.root, path), 0o755);
  }
  repo.write('src/cart.ts', 'export const total = (prices: number[]) => prices.reduce((a, b) => a + b, 0);\n');
  trust(real, repo.root, env['HOME'] ?? '');
  const pass = { status: 'pass', violations: [], previous: [], ...(name === 'codex' ? { message: null } : {}) };
  // Some agents load the instructions of a folder when they read a file in it.
  const reading = { kind: 'tools', calls: [real.read(join(repo.root, 'src/cart.ts'))] } as const;
  sim.script(label, [reading, { kind: 'structured', value: pass }]);
  const end = await onceover(repo.root, ['run', '--json'], {
    env: { ...env, PATH: [dirname(programOf(real)), env['PATH']].join(delimiter) },
    timeoutMs: 120_000,
  });
  const sent = sim.requests(label).map(({ raw }) => raw.toString('utf8'));
  return { code: end.code, said: end.stdout + end.stderr, sent: sent.join('\n') };
}

/** Writes the settings by which a user trusts a folder: many agents load more from a folder that is trusted. */
function trust(real: RealAgent, root: string, home: string): void {
  const [file, text] = {
    claude: ['.claude/.claude.json', JSON.stringify({ projects: { [root]: { hasTrustDialogAccepted: true } } })],
    codex: ['.codex/config.toml', `[projects.${JSON.stringify(root)}]\ntrust_level = "trusted"\n`],
    gemini: ['.gemini/trustedFolders.json', JSON.stringify({ [root]: 'TRUST_FOLDER' })],
  }[real.agent.name] ?? [null, ''];
  if (file == null) return;
  mkdirSync(dirname(join(home, file)), { recursive: true });
  appendFileSync(join(home, file), text ?? '');
}

const GATES = `gates:
  - path: src
    reviews:
      code: { prompt: .onceover/reviews/code.md }
`;

const QUIET =
  '{ DISABLE_TELEMETRY: "1", DISABLE_ERROR_REPORTING: "1", CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1", OPENCODE_DISABLE_MODELS_FETCH: "1" }';
