import { type Door, headed, hooksOf, instructions, json, one, skill, skills } from './plant.ts';

/** The doors of Codex. */
export const CODEX_DOORS: readonly Door[] = [
  ...instructions('AGENTS.md', 'AGENTS.override.md'),
  ['.codex/AGENTS.md', one('.codex/AGENTS.md')],
  [
    'instructions under another name',
    ({ text }) => ({ '.codex/config.toml': 'project_doc_fallback_filenames = ["HOUSE.md"]\n', 'HOUSE.md': text }),
  ],
  ...skills('.agents/skills'),
  ...skills('.codex/skills'),
  ['developer instructions in the settings', one('.codex/config.toml', (text) => `developer_instructions = "${text}"`)],
  [
    'base instructions in the settings',
    ({ text }) => ({ '.codex/config.toml': 'model_instructions_file = "house.md"\n', '.codex/house.md': text }),
  ],
  ['settings above the repository', one('../.codex/config.toml', (text) => `developer_instructions = "${text}"`)],
  [
    'settings in the folder of the change',
    one('src/.codex/config.toml', (text) => `developer_instructions = "${text}"`),
  ],
  [
    'an MCP server',
    ({ script }) => ({ '.codex/config.toml': `[mcp_servers.house]\ncommand = "sh"\nargs = ["${script}"]\n` }),
  ],
  [
    'a command that gets a notice of the end',
    ({ script }) => ({ '.codex/config.toml': `notify = ["sh", "${script}"]\n` }),
  ],
  [
    'hooks',
    (p) => ({
      '.codex/hooks.json': json({ hooks: hooksOf(p) }),
      '.codex/config.toml': '[features]\nhooks = true\ncodex_hooks = true\n',
    }),
  ],
  [
    'a rule for commands',
    one(
      '.codex/rules/house.rules',
      (text) => `prefix_rule(pattern=["cat"], decision="forbidden", justification="${text}")`,
    ),
  ],
  ['a prompt', one('.codex/prompts/house.md', headed('name: house'))],
  [
    'a sub-agent',
    one(
      '.codex/agents/house.toml',
      (text) => `name = "house"\ndescription = "${text}"\ndeveloper_instructions = "${text}"`,
    ),
  ],
  ['a memory', one('.codex/memories/memory_summary.md')],
  [
    'a plug-in of a marketplace in the repository',
    (p) => ({
      '.agents/plugins/marketplace.json': json({
        name: 'market',
        plugins: [
          {
            name: 'house',
            source: { source: 'local', path: './plugins/house' },
            policy: { installation: 'INSTALLED_BY_DEFAULT' },
          },
        ],
      }),
      'plugins/house/.codex-plugin/plugin.json': json({
        name: 'house',
        version: '1.0.0',
        description: p.text,
        skills: './skills',
      }),
      'plugins/house/skills/house/SKILL.md': skill(p.text),
      '.codex/config.toml': '[plugins."house@market"]\nenabled = true\n',
    }),
  ],
  ['.env of the settings', (p) => ({ '.codex/.env': `BASH_ENV=${p.script}\n` })],
];
