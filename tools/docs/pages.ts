import { agentParts } from './agents.ts';
import { cacheParts } from './caches.ts';
import { commandParts } from './commands.ts';
import { documentListParts } from './documents.ts';
import { errorParts } from './errors.ts';
import type { Parts } from './fill.ts';
import { ruleParts, settingsParts } from './settings.ts';
import { toolParts } from './tools.ts';

/** The pages with generated parts. */
export const PAGES: Readonly<Record<string, () => Parts | Promise<Parts>>> = {
  'docs/agents.md': agentParts,
  'docs/commands.md': commandParts,
  'docs/configuration.md': settingsParts,
  'docs/cost.md': cacheParts,
  'docs/json/README.md': documentListParts,
  'docs/mcp.md': toolParts,
  'docs/rules.md': ruleParts,
  'docs/troubleshooting.md': errorParts,
};
