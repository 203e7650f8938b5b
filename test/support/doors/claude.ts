import {
  type Door,
  headed,
  hooksOf,
  instructions,
  json,
  one,
  type Planted,
  runtime,
  server,
  skill,
  skills,
} from './plant.ts';

const claudePlugin = (folder: string, planted: Planted) => ({
  [`${folder}/.claude-plugin/plugin.json`]: json({ name: 'house', description: planted.text, version: '1.0.0' }),
  [`${folder}/skills/house/SKILL.md`]: skill(planted.text),
  [`${folder}/hooks/hooks.json`]: json({ hooks: hooksOf(planted) }),
});

/** The doors of Claude Code. */
export const CLAUDE_DOORS: readonly Door[] = [
  ...instructions('CLAUDE.md', 'CLAUDE.local.md', 'AGENTS.md', '.claude/CLAUDE.md'),
  ['CLAUDE.md that imports a file', ({ text }) => ({ 'CLAUDE.md': '@docs/house.md\n', 'docs/house.md': text })],
  ['a rule', one('.claude/rules/house.md')],
  ['a rule for the files of the change', one('.claude/rules/house.md', headed('paths: ["src/**"]'))],
  ['a rule in the folder of the change', one('src/.claude/rules/house.md')],
  ...skills('.claude/skills'),
  ['a command', one('.claude/commands/house.md', headed('name: house'))],
  ['a sub-agent', one('.claude/agents/house.md', headed('name: house'))],
  ['a memory of a sub-agent', one('.claude/agent-memory/house/MEMORY.md')],
  [
    'an output style',
    ({ text }) => ({
      '.claude/output-styles/house.md': headed('name: house')(text),
      '.claude/settings.json': json({ outputStyle: 'house' }),
    }),
  ],
  ['hooks', (p) => ({ '.claude/settings.json': json({ hooks: hooksOf(p) }) })],
  ['hooks in the local settings', (p) => ({ '.claude/settings.local.json': json({ hooks: hooksOf(p) }) })],
  ['hooks above the repository', (p) => ({ '../.claude/settings.json': json({ hooks: hooksOf(p) }) })],
  [
    'commands in the settings',
    (p) => ({
      '.claude/settings.json': json({
        apiKeyHelper: `sh ${p.script}`,
        statusLine: { type: 'command', command: `sh ${p.script}` },
        env: { BASH_ENV: p.script },
      }),
    }),
  ],
  [
    'an MCP server',
    (p) => ({
      '.mcp.json': json({ mcpServers: { house: server(p) } }),
      '.claude/settings.json': json({ enableAllProjectMcpServers: true, enabledMcpjsonServers: ['house'] }),
    }),
  ],
  [
    'a plug-in of a marketplace in the repository',
    (p) => ({
      ...claudePlugin('market/house', p),
      'market/.claude-plugin/marketplace.json': json({
        name: 'market',
        owner: { name: 'x' },
        plugins: [{ name: 'house', source: './house' }],
      }),
      '.claude/settings.json': json({
        extraKnownMarketplaces: { market: { source: { source: 'directory', path: './market' } } },
        enabledPlugins: { 'house@market': true },
      }),
    }),
  ],
  ['a plug-in in the folder for skills', (p) => claudePlugin('.claude/skills/house', p)],
  ['a plug-in in the root', (p) => claudePlugin('.', p)],
  ...runtime,
];
