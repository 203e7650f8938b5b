import { describe, expect, test } from 'vitest';
import type { RepoPath } from '../../src/domain/brand.ts';
import type { SetUpStep } from '../../src/domain/set-up.ts';
import { tellSetUp } from '../../src/text/set-up.ts';

const RULES = '.deepreview' as RepoPath;
const MCP = '.mcp.json' as RepoPath;
const WROTE_RULES: SetUpStep = {
  path: RULES,
  did: 'written',
  added: 'lint:\n  description: x\n\nmore: y\n',
  ignored: false,
};

describe('setting up', () => {
  test('shows a written file whole and says what is next', () => {
    expect(tellSetUp([WROTE_RULES])).toBe(`Wrote .deepreview:

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
    expect(tellSetUp([step])).toMatch(said);
  });

  test('says so where git ignores what was written', () => {
    expect(tellSetUp([{ ...WROTE_RULES, ignored: true }])).toMatch(/git ignores \.deepreview.*"!\.deepreview"/s);
    expect(tellSetUp([WROTE_RULES])).not.toContain('ignores');
  });

  test('of the MCP server says how to start it', () => {
    const mcp: SetUpStep = { path: MCP, did: 'written', added: '{}', ignored: false };
    expect(tellSetUp([WROTE_RULES, mcp])).toMatch(/Wrote \.deepreview.*Wrote \.mcp\.json.*Restart Claude Code/s);
    expect(tellSetUp([WROTE_RULES])).not.toContain('Restart');
  });
});
