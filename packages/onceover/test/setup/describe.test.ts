import type { RepoPath } from '@onceover/base/kernel/ids';
import { UNSTYLED } from '@onceover/base/ui/style';
import { describe, expect, test } from 'vitest';
import { describeSetUp } from '../../src/setup/describe.ts';
import type { GatesFound, SetupStep } from '../../src/setup/types.ts';

const RULES = '.deepreview' as RepoPath;
const MCP = '.mcp.json' as RepoPath;
const SETTINGS = 'onceover.yml' as RepoPath;
const WROTE_RULES: SetupStep = {
  path: RULES,
  did: 'written',
  added: 'lint:\n  description: x\n\nmore: y\n',
  ignored: false,
};
const WROTE_SETTINGS: SetupStep = { path: SETTINGS, did: 'written', added: 'version: 1\n', ignored: false };
const FOUND: GatesFound = { agents: ['claude'] };

const describeSteps = (...steps: readonly SetupStep[]) => describeSetUp({ steps, gates: null, hook: null });
const describeFound = (gates: Partial<GatesFound>, step = WROTE_SETTINGS) =>
  describeSetUp({ steps: [step], gates: { ...FOUND, ...gates }, hook: null });

describe('setting up', () => {
  test('shows a written file in full and the next command', () => {
    expect(describeSteps(WROTE_RULES)).toBe(`Wrote .deepreview:

  lint:
    description: x

  more: y

Next: "onceover instructions" writes one instruction file per review of your current change.`);
  });

  test.each<[title: string, step: SetupStep, said: RegExp]>([
    [
      'a file that already exists',
      { path: RULES, did: 'left', added: null, ignored: false },
      /^\.deepreview already exists and was left unchanged\./,
    ],
    [
      'a file that was extended',
      { path: MCP, did: 'extended', added: '{}', ignored: false },
      /^Added to \.mcp\.json:\n\n {2}\{\}/,
    ],
    ['a new file', { path: MCP, did: 'written', added: '{}', ignored: false }, /^Wrote \.mcp\.json:/],
  ])('describes %s', (_, step, text) => {
    expect(describeSteps(step)).toMatch(text);
  });

  test('says that git ignores a written file', () => {
    expect(describeSteps({ ...WROTE_RULES, ignored: true })).toMatch(
      /git ignores \.deepreview, so onceover does not read it.*"!\.deepreview"/s,
    );
    expect(describeSteps({ ...WROTE_SETTINGS, ignored: true })).toMatch(
      /git ignores onceover\.yml, so your team will not get it/,
    );
    expect(describeSteps(WROTE_RULES)).not.toContain('ignores');
  });

  test('says how to start the MCP server', () => {
    const mcp: SetupStep = { path: MCP, did: 'written', added: '{}', ignored: false };
    expect(describeSteps(WROTE_RULES, mcp)).toMatch(
      /Wrote \.deepreview.*Wrote \.mcp\.json.*Then: restart Claude Code/s,
    );
    expect(describeSteps(WROTE_RULES)).not.toContain('restart');
  });
});

test('asks for one restart if a program gets both the server and the hook', () => {
  const mcp: SetupStep = { path: MCP, did: 'written', added: '{}', ignored: false };
  const text = describeSetUp({ steps: [mcp], gates: null, hook: 'claude' });
  expect(text.match(/restart Claude Code/g)).toHaveLength(1);
  expect(text).toMatch(/^Next: restart .*allow the server "onceover".*may stop only when all checks and reviews pass/m);
  expect(describeSetUp({ steps: [mcp], gates: null, hook: 'codex' })).toMatch(
    /Next: restart Claude Code.*\nThen: start Codex/,
  );
});

test('warns that an entry with a path of this machine must not be committed', () => {
  const mcp: SetupStep = { path: MCP, did: 'written', added: '{}', ignored: false };
  const outcome = { steps: [mcp], gates: null, hook: null };
  expect(describeSetUp({ ...outcome, byPath: true })).toContain('onceover is not on PATH');
  expect(describeSetUp(outcome)).not.toContain('PATH');
});

describe('setting up checks and reviews', () => {
  test('ends with the command for the first run', () => {
    expect(describeFound({})).toBe(`Wrote onceover.yml:

  version: 1

Next: "onceover run" runs the checks and reviews on your current change.
Then: "onceover prove" plans a test of your reviewers with planted bugs. It calls no agent before you confirm the plan.`);
  });

  test('asks for an agent first if none was found', () => {
    expect(describeFound({ agents: [] }).split('\n').slice(-2)).toEqual([
      'Next: install an agent, because none was found: "onceover doctor" lists them.',
      'Then: "onceover run" runs the checks and reviews on your current change.',
    ]);
  });

  test('asks for a commit first if init made the only change', () => {
    expect(describeFound({ isAllNew: true }).split('\n').slice(-3)).toEqual([
      'Next: commit these files. There is no other change to review yet.',
      'Then: "onceover run" reviews what you change after that.',
      expect.stringMatching(/^Then: "onceover prove" /),
    ]);
  });

  test('shows commands for npx if npx started the program, and file contents unchanged', () => {
    const step = { ...WROTE_SETTINGS, added: '# "onceover run" runs them\n' };
    const text = describeSetUp(
      { steps: [step], gates: { ...FOUND, agents: [] }, hook: null },
      { ...UNSTYLED, byNpx: true },
    );
    expect(text).toContain('  # "onceover run" runs them\n');
    expect(text.split('\n').slice(-2)).toEqual([
      expect.stringMatching(/^Next: .*"npx onceover doctor" lists them\./),
      expect.stringMatching(/^Then: "npx onceover run"/),
    ]);
  });

  test('shows the command that starts the program', () => {
    const outcome = { steps: [WROTE_SETTINGS], gates: FOUND, hook: null, command: 'node /a/cli.mjs' };
    expect(describeSetUp(outcome)).toMatch(/^Next: "node \/a\/cli\.mjs run" runs /m);
  });

  test('wraps the next steps to the width of the terminal', () => {
    const text = describeSetUp(
      { steps: [], gates: { ...FOUND, agents: [] }, hook: 'codex' },
      { ...UNSTYLED, width: 60 },
    );
    expect(Math.max(...text.split('\n').map((line) => line.length))).toBeLessThanOrEqual(60);
  });

  test('leaves settings without gates unchanged, and proposes lines for them', () => {
    const settingsStep: SetupStep = { path: SETTINGS, did: 'left', added: null, ignored: false };
    expect(
      describeFound({ proposed: 'gates:\n  - path: .\n' }, settingsStep),
    ).toBe(`onceover.yml already exists and was left unchanged.

onceover.yml has no checks or reviews yet. Add these lines to it:

  gates:
    - path: .

Next: add the lines above to onceover.yml.
Then: "onceover run" runs the checks and reviews on your current change.
Then: "onceover prove" plans a test of your reviewers with planted bugs. It calls no agent before you confirm the plan.`);
  });

  test('shows the settings first and in full, and names the prompt', () => {
    const prompt: SetupStep = {
      path: '.onceover/reviews/x.md' as RepoPath,
      did: 'written',
      added: '# X\n\nLook well,\nand twice.\n',
      ignored: false,
    };
    expect(describeSetUp({ steps: [prompt, WROTE_SETTINGS], gates: FOUND, hook: null })).toBe(`Wrote onceover.yml:

  version: 1

Wrote .onceover/reviews/x.md (4 lines, yours to edit)

Next: "onceover run" runs the checks and reviews on your current change.
Then: "onceover prove" plans a test of your reviewers with planted bugs. It calls no agent before you confirm the plan.`);
  });

  test.each([
    ['watches', /^Not used as a check: "npm test" watches files and never ends\./m],
    ['changes-files', /^Not used as a check: "npm test" changes files\./m],
  ] as const)('says why a command is not a check: %s', (why, text) => {
    expect(describeFound({ passedOver: [{ run: 'npm test', why }] })).toMatch(text);
  });

  test('names the first run and the restart if rules and the MCP server are set up too', () => {
    const mcp: SetupStep = { path: MCP, did: 'written', added: '{}', ignored: false };
    const text = describeSetUp({ steps: [WROTE_SETTINGS, WROTE_RULES, mcp], gates: FOUND, hook: null });
    expect(text.split('\n').slice(-3)).toEqual([
      expect.stringMatching(/^Next: "onceover run"/),
      expect.stringMatching(/^Then: "onceover prove"/),
      expect.stringMatching(/^Then: restart Claude Code/),
    ]);
  });
});

describe('an import from another tool', () => {
  const prompt = (path: string, addition: string | null): SetupStep => ({
    path: path as RepoPath,
    did: addition === null ? 'left' : 'written',
    added: addition,
    ignored: false,
  });
  const carryOver = { tool: 'coderabbit', source: 'x.yml', left: ['x.yml:2:1: chat is not here'] } as const;

  test('shows the settings, names the prompts, and lists what was not imported', () => {
    const steps = [prompt('a.md', 'One.\n'), prompt('b.md', null), WROTE_SETTINGS];
    expect(
      describeSetUp({ steps, gates: { ...FOUND, carried: carryOver }, hook: null }),
    ).toBe(`Imported from x.yml (CodeRabbit), which stays unchanged.

Wrote onceover.yml:

  version: 1

Wrote a.md (1 line, yours to edit)
b.md already exists and was left unchanged.

Not imported, or imported with a difference:
  - x.yml:2:1: chat is not here

Next: "onceover run" runs the checks and reviews on your current change.
Then: "onceover prove" plans a test of your reviewers with planted bugs. It calls no agent before you confirm the plan.`);
  });

  test('is suggested once per tool that is found', () => {
    expect(describeFound({ others: ['gauntlet', 'coderabbit'] }).split('\n')).toEqual(
      expect.arrayContaining([
        expect.stringMatching(/^agent gauntlet is set up here: "onceover init --from gauntlet" /),
        expect.stringMatching(/^CodeRabbit is set up here: "onceover init --from coderabbit" /),
      ]),
    );
  });

  test('says whether existing settings lack something', () => {
    const leave: SetupStep = { path: SETTINGS, did: 'left', added: null, ignored: false };
    const lacking = describeFound({ carried: carryOver, proposed: 'gates: []\n' }, leave);
    expect(lacking).toContain(
      'onceover.yml lacks some of these checks and reviews. Add these lines to it:\n\n  gates: []\n',
    );
    expect(lacking).toContain('Next: add the lines above to onceover.yml.');
    expect(describeFound({ carried: carryOver }, leave)).toMatch(
      /^x\.yml \(CodeRabbit\) has been imported already\.\n/,
    );
  });
});
