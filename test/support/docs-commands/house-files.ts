import { join } from 'node:path';

/** Replacements for agents. */
export const AGENTS = join(import.meta.dirname, 'agents.mjs');

/** A project without onceover. */
export const PROJECT_FILES: Readonly<Record<string, string>> = {
  'package.json': '{ "name": "shop", "scripts": { "lint": "true", "test": "true" } }\n',
  'README.md': '# Shop\n',
  'docs/threat-model.md': 'Strangers send us orders.\n',
  'src/a.ts': 'export const a = 1;\n',
  'src/app.ts': 'export {};\n',
};

/** The configuration of other tools. */
export const FOREIGN: Readonly<Record<string, string>> = {
  '.coderabbit.yaml': 'reviews:\n  path_instructions:\n    - path: src/**\n      instructions: Look for mistakes.\n',
  '.gauntlet/config.yml': 'base_branch: main\nentry_points:\n  - path: src\n    reviews: [code]\n',
  '.gauntlet/reviews/code.md': 'Look for mistakes.\n',
  '.continue/checks/names.md': '---\nname: names\ndescription: Names say what a thing is.\n---\nLook at names.\n',
};

const SETTINGS = `agents: [codex, claude]
unchanged_gates: rest
agent:
  house: { command: [node, ${JSON.stringify(AGENTS)}, house, "1"] }
gates:
  - path: src
    checks:
      lint: { run: npm run lint, timeout: 120 }
    reviews:
      code-quality: { prompt: .onceover/reviews/code-quality.md, num_reviews: 2 }
`;

const RULES = `security:
  description: Looks for ways in for an attacker.
  match: { include: ["src/**/*.ts"] }
  review: { strategy: matches_together, instructions: Follow every input. }
`;

/** Gates, rules and the outputs of a workflow. */
export const OWN: Readonly<Record<string, string>> = {
  'onceover.yml': SETTINGS,
  '.deepreview': RULES,
  '.onceover/reviews/code-quality.md': 'Look for unused constants.\n',
  'notes/one.md': 'Source: https://example.org/tea\n\nTea is cheaper.\n',
  'notes/two.md': 'Source: https://example.com/coffee\n\nCoffee is liked.\n',
  'report.md': 'Both [notes/one.md].\n',
};

/** A feature that is ready for every phase. */
export function featureFiles(folder: string): Readonly<Record<string, string>> {
  const names = ['prd', 'spec', 'design', 'plan', 'tasks'];
  return Object.fromEntries(names.map((name) => [`${folder}/${name}.md`, `# ${name}\n\nIt is so.\n`]));
}
