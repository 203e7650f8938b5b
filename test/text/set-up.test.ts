import { describe, expect, test } from 'vitest';
import type { RepoPath } from '../../src/domain/brand.ts';
import type { GatesFound, SetUpStep } from '../../src/domain/set-up.ts';
import { NOTHING_FOUND } from '../../src/execute/set-up-plan.ts';
import { tellSetUp } from '../../src/text/set-up.ts';
import { AS_IT_IS } from '../../src/text/shown.ts';

const RULES = '.deepreview' as RepoPath;
const MCP = '.mcp.json' as RepoPath;
const SETTINGS = 'onceover.yml' as RepoPath;
const WROTE_RULES: SetUpStep = {
  path: RULES,
  did: 'written',
  added: 'lint:\n  description: x\n\nmore: y\n',
  ignored: false,
};
const WROTE_SETTINGS: SetUpStep = { path: SETTINGS, did: 'written', added: 'version: 1\n', ignored: false };
const FOUND: GatesFound = {
  agents: ['claude'],
  ...NOTHING_FOUND,
};

const tell = (...steps: readonly SetUpStep[]) => tellSetUp({ steps, gates: null, hook: null });
const tellGates = (gates: Partial<GatesFound>, step = WROTE_SETTINGS) =>
  tellSetUp({ steps: [step], gates: { ...FOUND, ...gates }, hook: null });

describe('setting up', () => {
  test('shows a written file whole and says what is next', () => {
    expect(tell(WROTE_RULES)).toBe(`Wrote .deepreview:

  lint:
    description: x

  more: y

Next: "onceover instructions" writes the reviews that your present change asks for.`);
  });

  test.each<[title: string, step: SetUpStep, said: RegExp]>([
    [
      'a file that was there',
      { path: RULES, did: 'left', added: null, ignored: false },
      /^\.deepreview is there already.*left/,
    ],
    [
      'a file that was extended',
      { path: MCP, did: 'extended', added: '{}', ignored: false },
      /^Added to \.mcp\.json:\n\n {2}\{\}/,
    ],
    ['a new file', { path: MCP, did: 'written', added: '{}', ignored: false }, /^Wrote \.mcp\.json:/],
  ])('%s', (_, step, said) => {
    expect(tell(step)).toMatch(said);
  });

  test('says so where git ignores what was written', () => {
    expect(tell({ ...WROTE_RULES, ignored: true })).toMatch(
      /git ignores \.deepreview, so it is not read.*"!\.deepreview"/s,
    );
    expect(tell({ ...WROTE_SETTINGS, ignored: true })).toMatch(
      /git ignores onceover\.yml, so nobody else will have it/,
    );
    expect(tell(WROTE_RULES)).not.toContain('ignores');
  });

  test('of the MCP server says how to start it', () => {
    const mcp: SetUpStep = { path: MCP, did: 'written', added: '{}', ignored: false };
    expect(tell(WROTE_RULES, mcp)).toMatch(/Wrote \.deepreview.*Wrote \.mcp\.json.*Restart Claude Code/s);
    expect(tell(WROTE_RULES)).not.toContain('Restart');
  });
});

test('the server and the hook of one program: it is restarted once', () => {
  const mcp: SetUpStep = { path: MCP, did: 'written', added: '{}', ignored: false };
  const told = tellSetUp({ steps: [mcp], gates: null, hook: 'claude' });
  expect(told.match(/Restart Claude Code/g)).toHaveLength(1);
  expect(told).toMatch(/allow the server "onceover".*may stop once the gates hold/);
  expect(tellSetUp({ steps: [mcp], gates: null, hook: 'codex' })).toMatch(/Restart Claude Code.*\nStart Codex/);
});

describe('setting up gates', () => {
  test('with an agent, the next thing is a run', () => {
    expect(tellGates({})).toBe(`Wrote onceover.yml:

  version: 1

Next: "onceover run" runs the gates on your present change.`);
  });

  test('without one, an agent comes first', () => {
    expect(tellGates({ agents: [] }).split('\n').slice(-2)).toEqual([
      'Next: get an agent, since none was found: "onceover doctor" says how.',
      'Then: "onceover run" runs the gates on your present change.',
    ]);
  });

  test('what only init has changed is committed first', () => {
    expect(tellGates({ isAllNew: true }).split('\n').slice(-2)).toEqual([
      'Next: commit this; nothing else has changed yet.',
      'Then: "onceover run" runs the gates on what you change after that.',
    ]);
  });

  test.each([
    [['ruff'], 'Not found on this machine: ruff. The checks need it: install it, or activate the environment with it.'],
    [
      ['ruff', 'pytest'],
      'Not found on this machine: ruff, pytest. The checks need them: install them, or activate the environment with them.',
    ],
  ])('programs that are not here are named: %s', (missing, said) => {
    expect(tellGates({ missing }).split('\n')).toContain(said);
    expect(tellGates({})).not.toContain('Not found');
  });

  test('whoever has started it with npx is told to go on so; what is in a file is shown as it is', () => {
    const step = { ...WROTE_SETTINGS, added: '# "onceover run" runs them\n' };
    const told = tellSetUp(
      { steps: [step], gates: { ...FOUND, agents: [] }, hook: null },
      { ...AS_IT_IS, byNpx: true },
    );
    expect(told).toContain('  # "onceover run" runs them\n');
    expect(told.split('\n').slice(-2)).toEqual([
      expect.stringMatching(/^Next: .*"npx onceover doctor" says how\./),
      expect.stringMatching(/^Then: "npx onceover run"/),
    ]);
  });

  test('what to do next is wrapped to the terminal', () => {
    const told = tellSetUp({ steps: [], gates: { ...FOUND, agents: [] }, hook: 'codex' }, { ...AS_IT_IS, width: 60 });
    expect(Math.max(...told.split('\n').map((line) => line.length))).toBeLessThanOrEqual(60);
  });

  test('settings without gates are left, and gates proposed for them', () => {
    const left: SetUpStep = { path: SETTINGS, did: 'left', added: null, ignored: false };
    expect(
      tellGates({ proposed: 'gates:\n  - path: .\n' }, left),
    ).toBe(`onceover.yml is there already and was left as it is.

onceover.yml has no gates yet. These would fit; add them to it:

  gates:
    - path: .

Next: add the gates to onceover.yml.
Then: "onceover run" runs the gates on your present change.`);
  });

  test('the settings come first and whole; of a long prompt the beginning is shown', () => {
    const prompt = (lines: number): SetUpStep => ({
      path: '.onceover/reviews/x.md' as RepoPath,
      did: 'written',
      added: `# X\n\nLook well,\nand twice.\n\n${'- More.\n'.repeat(lines - 5)}`,
      ignored: false,
    });
    const told = (lines: number) => tellSetUp({ steps: [prompt(lines), WROTE_SETTINGS], gates: FOUND, hook: null });
    expect(told(25)).toBe(`Wrote onceover.yml:

  version: 1

Wrote .onceover/reviews/x.md (25 lines, yours to change):

  # X

  Look well,
  and twice.
  …

Next: "onceover run" runs the gates on your present change.`);
    expect(told(24)).toContain(`Wrote .onceover/reviews/x.md:\n\n  # X`);
    expect(told(24).match(/- More\./g)).toHaveLength(19);
  });

  test.each([
    ['watches', /^Not a check: "npm test" watches and never ends\./m],
    ['changes-files', /^Not a check: "npm test" changes files\./m],
    [
      'in-packages',
      /^Not a check yet: packages of this workspace have a script "npm test".* Add yours under "checks"\.$/m,
    ],
  ] as const)('says why a command is no check: %s', (why, said) => {
    expect(tellGates({ passedOver: [{ run: 'npm test', why }] })).toMatch(said);
  });

  test('rules and the MCP server beside gates: one next step, and how to start the server', () => {
    const mcp: SetUpStep = { path: MCP, did: 'written', added: '{}', ignored: false };
    const told = tellSetUp({ steps: [WROTE_SETTINGS, WROTE_RULES, mcp], gates: FOUND, hook: null });
    expect(told.split('\n').slice(-2)).toEqual([
      expect.stringMatching(/^Next: "onceover run"/),
      expect.stringMatching(/^Restart Claude Code/),
    ]);
  });
});

describe('what is carried over from another tool', () => {
  const copied = (path: string, added: string | null): SetUpStep => ({
    path: path as RepoPath,
    did: added === null ? 'left' : 'written',
    added,
    ignored: false,
    copied: true,
  });
  const left = [{ file: 'x.yml', line: 2, column: 1, what: { kind: 'tone' } }] as const;
  const carried = { tool: 'coderabbit', source: 'x.yml', left } as const;

  test('prompts are named and not shown, the settings are shown, what is left over is listed', () => {
    const steps = [copied('a.md', 'Long.\n'), copied('b.md', null), WROTE_SETTINGS];
    expect(
      tellSetUp({ steps, gates: { ...FOUND, carried }, hook: null }),
    ).toBe(`Carried over from x.yml (CodeRabbit), which is left as it is.

Wrote, word for word:
  a.md

There already, and left as they are:
  b.md

Wrote onceover.yml:

  version: 1

Not carried over, or not as it was:
  - x.yml:2:1: how reviewers are to sound is not set here; add it to a prompt where it matters

Next: "onceover run" runs the gates on your present change.`);
  });

  test('settings that are there lack it, or have it already', () => {
    const leave: SetUpStep = { path: SETTINGS, did: 'left', added: null, ignored: false };
    const lacking = tellGates({ carried, proposed: 'gates: []\n' }, leave);
    expect(lacking).toContain(
      'onceover.yml lacks some of these gates. These would fit; add them to it:\n\n  gates: []\n',
    );
    expect(lacking).toContain('Next: add the gates to onceover.yml.');
    expect(tellGates({ carried }, leave)).toMatch(/^x\.yml \(CodeRabbit\) is carried over already\.\n/);
  });
});
