import { code, type Door, headed, instructions, json, one, runtime, skill, skills } from './plant.ts';

const opencodeConfig = (text: string) =>
  json({ instructions: ['docs/house.md'], agent: { house: { description: text, prompt: text } } });

/** The doors of opencode. */
export const OPENCODE_DOORS: readonly Door[] = [
  ...instructions('AGENTS.md', 'CLAUDE.md', 'CONTEXT.md'),
  ['.opencode/AGENTS.md', one('.opencode/AGENTS.md')],
  ...['opencode.json', 'opencode.jsonc', '.opencode/opencode.json', '../opencode.json', 'src/opencode.json'].map(
    (path): Door => [
      `instructions named in ${path}`,
      ({ text }) => ({ [path]: opencodeConfig(text), 'docs/house.md': text, '../docs/house.md': text }),
    ],
  ),
  [
    'an own prompt for the reviewer in the settings',
    ({ text }) => ({ 'opencode.json': json({ agent: { 'onceover-reviewer': { description: text, prompt: text } } }) }),
  ],
  ['a reviewer of the same name', one('.opencode/agent/onceover-reviewer.md', headed('mode: primary'))],
  [
    'a reviewer of the same name above the repository',
    one('../.opencode/agent/onceover-reviewer.md', headed('mode: primary')),
  ],
  ...skills('.agents/skills'),
  ...skills('.claude/skills'),
  ['a skill in .opencode/skills', one('.opencode/skills/house/SKILL.md', skill)],
  ['a skill in .opencode/skill', one('.opencode/skill/house/SKILL.md', skill)],
  ['a command', one('.opencode/command/house.md', headed('name: house'))],
  ['a sub-agent', one('.opencode/agents/house.md', headed('mode: subagent'))],
  [
    'an MCP server',
    ({ script }) => ({
      'opencode.json': json({ mcp: { house: { type: 'local', command: ['sh', script], enabled: true } } }),
    }),
  ],
  [
    'a language server',
    ({ script }) => ({ 'opencode.json': json({ lsp: { house: { command: ['sh', script], extensions: ['.ts'] } } }) }),
  ],
  [
    'a language server among the packages',
    (p) => ({
      'package.json': '{"dependencies":{"typescript":"5.0.0"}}\n',
      'package-lock.json': '{}\n',
      'node_modules/typescript/package.json': '{"name":"typescript","version":"5.0.0","main":"lib/tsserver.js"}\n',
      'node_modules/typescript/lib/tsserver.js': code(p),
      'node_modules/typescript/lib/typescript.js': code(p),
      'node_modules/.bin/biome': `#!/bin/sh\nsh ${p.script}\n`,
      'biome.json': '{}\n',
    }),
  ],
  ...['.opencode/plugin', '.opencode/plugins', '.opencode/tool', '.opencode/tools', '../.opencode/plugin'].map(
    (folder): Door => [
      `code in ${folder}`,
      (p) => ({
        [`${folder}/house.js`]: `${code(p).replace('require(', '(await import(').replace("fs')", "fs'))")}export default { description: ${JSON.stringify(p.text)}, args: {}, execute: async () => 'x' };\nexport const House = async () => ({});\n`,
      }),
    ],
  ),
  ['a plug-in named in the settings', (p) => ({ 'opencode.json': json({ plugin: ['./bad.js'] }), 'bad.js': code(p) })],
  ...runtime,
];
