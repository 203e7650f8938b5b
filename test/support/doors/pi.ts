import { code, type Door, headed, instructions, json, one, server, skills } from './plant.ts';

/** The doors of Pi. */
export const PI_DOORS: readonly Door[] = [
  ...instructions('AGENTS.md', 'CLAUDE.md'),
  ...['SYSTEM.md', 'APPEND_SYSTEM.md', 'AGENTS.md'].map((name): Door => [`.pi/${name}`, one(`.pi/${name}`)]),
  ...skills('.pi/skills'),
  ...skills('.agents/skills'),
  ['a prompt template', one('.pi/prompts/house.md', headed('name: house'))],
  ['an extension', (planted) => ({ '.pi/extensions/house.js': code(planted) })],
  ['an extension with a folder', (planted) => ({ '.pi/extensions/house/index.js': code(planted) })],
  [
    'an extension that the settings name',
    (planted) => ({
      '.pi/settings.json': json({ extensions: ['./house-extension.js'], systemPrompt: planted.text }),
      '.pi/house-extension.js': code(planted),
      'house-extension.js': code(planted),
    }),
  ],
  ['a server in .mcp.json', (planted) => ({ '.mcp.json': json({ mcpServers: { house: server(planted) } }) })],
];
