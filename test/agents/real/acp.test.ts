import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { RunDocument } from '@onceover/gates/result/json';
import { ACP_CLIS, type AcpCli, acpProgram, acpVersion } from '@onceover/testing/acp-clis.ts';
import { usersFolder } from '@onceover/testing/agent-clis.ts';
import { onceover } from '@onceover/testing/cli.ts';
import type { Answer, RequestSummary } from '@onceover/testing/model-sim/script.ts';
import { type ModelSim, startModelSim } from '@onceover/testing/model-sim/server.ts';
import { probedAnswer } from '@onceover/testing/remembering-model.ts';
import { repoWith, temporaryFolder } from '@onceover/testing/repo.ts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

const CANARY = 'CANARY-INSTRUCTION-7391';
/** Only a reviewer that opens the file sees this line, because it is not in the diff. */
const UNCHANGED = 'export const unchanged = 5309;';
const FOUND = { file: 'src/a.ts', line: 1, code: 'export const a = 2;', issue: 'wrong', fix: 'no', priority: 'high' };
const FAIL = { status: 'fail', violations: [FOUND], message: '' };
const INSTRUCTIONS = ['CLAUDE.md', 'AGENTS.md', 'GEMINI.md', 'QWEN.md', 'src/AGENTS.md', '.claude/CLAUDE.md'];

let sim: ModelSim;
beforeAll(async () => {
  sim = await startModelSim();
});
afterAll(() => sim.close());

/** After its process has ended, Gemini CLI answers `session/load` with "No previous sessions found for this project". */
const CANNOT_RESUME = 'gemini';

describe.each(ACP_CLIS.map((cli) => [`${cli.name} ${acpVersion(cli)}`, cli] as const))('%s over ACP', (_title, cli) => {
  test('reviews twice, opens a file, writes nothing, and sees no instruction of the repository', async () => {
    sim.script(cli.name, (request) => reviewing(cli, request));
    const repo = repoWith({
      'src/a.ts': 'export const a = 1;\n',
      'src/b.ts': `${UNCHANGED}\n`,
      '.onceover/reviews/code.md': 'Look for what is wrong.\n',
      ...Object.fromEntries(INSTRUCTIONS.map((path) => [path, `${CANARY}\n`])),
    });
    const user = temporaryFolder(usersFolder());
    // Codex does not put its sandbox into a home in the temporary folder.
    const [home, TMPDIR] = [join(user, 'home'), join(user, 'tmp')];
    for (const folder of [home, TMPDIR]) mkdirSync(folder);
    const env = { HOME: home, TMPDIR, ...cli.configure(home, sim.baseUrl(cli.name)) };
    repo.write(
      'onceover.yml',
      `agents: [${cli.name}]
agent:
  ${cli.name}: { acp: ${JSON.stringify([acpProgram(cli), ...cli.args])} }
gates:
  - path: src
    reviews: { code: { prompt: .onceover/reviews/code.md } }
`,
    );
    repo.commit('settings');
    const run = async () => {
      const end = await onceover(repo.root, ['run', '--json'], { env, timeoutMs: 240_000 });
      if (!end.stdout.startsWith('{') || end.code === 3)
        throw new Error(`exit ${end.code}: ${end.stdout}${end.stderr}`);
      const document = JSON.parse(end.stdout) as RunDocument;
      const [slot] = document.gates[0]?.slots ?? [];
      return { code: end.code, slot };
    };
    repo.write('src/a.ts', 'export const a = 2;\n');
    repo.git('checkout', '-q', '-B', 'work');
    const first = await run();
    expect([first.code, first.slot?.status]).toEqual([1, 'fail']);
    repo.write('src/a.ts', 'export const a = 2;\nexport const b = 3;\n');
    const second = await run();
    expect([second.code, second.slot?.status]).toEqual([1, 'fail']);
    expect(second.slot?.dispatch).toBe(cli.name === CANNOT_RESUME ? 'fresh' : 'resumed');
    expect(existsSync(join(repo.root, 'src/written.txt'))).toBe(false);
    const sent = sim.requests(cli.name).map(({ raw }) => raw.toString('utf8'));
    expect(sent.some((body) => body.includes('Look for what is wrong.'))).toBe(true);
    expect(sent.some((body) => body.includes(UNCHANGED))).toBe(true);
    expect(sent.filter((body) => body.includes(CANARY))).toEqual([]);
  }, 500_000);
});

/** Answers the questions of V1 to V4 from what it can see; reviews with a write and a read; answers side calls with text. */
function reviewing(cli: AcpCli, request: RequestSummary): Answer {
  const sent = JSON.stringify(request.body);
  const [reads, readInput] = cli.reads;
  if (!request.tools.includes(reads)) return { kind: 'text', text: 'A title' };
  // A model learns its working directory from the agent.
  const folder = /\/[^\s"'<>\\]*onceover\/acp-[0-9a-f]{12}/.exec(sent)?.[0] ?? '.';
  const probed = probedAnswer(request, (path) => ({ name: reads, input: readInput(join(folder, path)) }));
  if (probed?.kind === 'tools' && request.toolResults.length > 0)
    return { kind: 'structured', value: { reply: 'The file cannot be read.', issues: [] } };
  if (probed !== null) return probed;
  if (request.toolResults.length > 0 || sent.includes('The change is different'))
    return { kind: 'structured', value: FAIL };
  const read = { name: reads, input: readInput(join(folder, 'src/b.ts')) };
  if (cli.writes === null) return { kind: 'tools', calls: [read] };
  const [writes, writeInput] = cli.writes;
  return { kind: 'tools', calls: [{ name: writes, input: writeInput(join(folder, 'src/written.txt')) }, read] };
}
