import { agentParts } from './agents.ts';
import { commandParts } from './commands.ts';
import { documentParts } from './documents.ts';
import type { Parts } from './fill.ts';
import { ruleParts, settingsParts } from './settings.ts';
import { toolParts } from './tools.ts';

/** The pages with parts that are made from the program's own data. */
export const PAGES: Readonly<Record<string, () => Parts | Promise<Parts>>> = {
  'docs/agents.md': agentParts,
  'docs/commands.md': commandParts,
  'docs/configuration.md': settingsParts,
  'docs/json.md': documentParts,
  'docs/mcp.md': toolParts,
  'docs/rules.md': ruleParts,
};
