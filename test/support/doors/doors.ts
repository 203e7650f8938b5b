import { CLAUDE_DOORS } from './claude.ts';
import { CODEX_DOORS } from './codex.ts';
import { GEMINI_DOORS } from './gemini.ts';
import { OPENCODE_DOORS } from './opencode.ts';
import type { Door } from './plant.ts';

/** The ways by which the text of a repository could reach its reviewers, by agent. */
export const DOORS: Readonly<Record<string, readonly Door[]>> = {
  claude: CLAUDE_DOORS,
  codex: CODEX_DOORS,
  gemini: GEMINI_DOORS,
  opencode: OPENCODE_DOORS,
};
