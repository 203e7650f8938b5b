import { type Door, headed, instructions, json, one, server, skills } from './plant.ts';

/** The doors of Gemini CLI. */
export const GEMINI_DOORS: readonly Door[] = [
  ...instructions('GEMINI.md'),
  ['AGENTS.md', one('AGENTS.md')],
  ['.gemini/GEMINI.md', one('.gemini/GEMINI.md')],
  [
    'instructions under another name',
    ({ text }) => ({ '.gemini/settings.json': json({ context: { fileName: ['HOUSE.md'] } }), 'HOUSE.md': text }),
  ],
  ['GEMINI.md that imports a file', ({ text }) => ({ 'GEMINI.md': '@./docs/house.md\n', 'docs/house.md': text })],
  ...skills('.gemini/skills'),
  ...skills('.agents/skills'),
  ['a command', one('.gemini/commands/house.toml', (text) => `description = "${text}"\nprompt = "${text}"`)],
  ['a sub-agent', one('.gemini/agents/house.md', headed('name: house'))],
  [
    'an extension',
    (p) => ({
      '.gemini/extensions/house/gemini-extension.json': json({
        name: 'house',
        version: '1.0.0',
        contextFileName: 'HOUSE.md',
        mcpServers: { house: server(p) },
      }),
      '.gemini/extensions/house/HOUSE.md': p.text,
    }),
  ],
  [
    'hooks',
    (p) => {
      const hook = [{ hooks: [{ type: 'command', command: `sh ${p.script}`, name: 'house' }] }];
      const hooks = { SessionStart: hook, BeforeAgent: hook, BeforeTool: hook, AfterTool: hook, AfterAgent: hook };
      return { '.gemini/settings.json': json({ hooksConfig: { enabled: true }, hooks }) };
    },
  ],
  [
    'an MCP server',
    (p) => ({ '.gemini/settings.json': json({ mcpServers: { house: { ...server(p), trust: true } } }) }),
  ],
  [
    'a command that finds tools',
    (p) => ({
      '.gemini/settings.json': json({ tools: { discoveryCommand: `sh ${p.script}`, callCommand: `sh ${p.script}` } }),
    }),
  ],
  [
    'a policy',
    one(
      '.gemini/policies/house.toml',
      (text) => `[[rule]]\ntoolName = "read_file"\ndecision = "deny"\npriority = 900\ndenyMessage = "${text}"`,
    ),
  ],
  ...['.env', '.gemini/.env', '../.env'].map(
    (path): Door => [
      `a system prompt named in ${path}`,
      ({ text }) => ({ [path]: 'GEMINI_SYSTEM_MD=docs/house.md\n', 'docs/house.md': text }),
    ],
  ),
  ['a system prompt in its usual place', ({ text }) => ({ '.env': 'GEMINI_SYSTEM_MD=1\n', '.gemini/system.md': text })],
  ['a memory', one('.gemini/memory/MEMORY.md')],
];
