import { AGENT_NAMES } from '../domain/agent.ts';
import type { Agent } from './agent.ts';
import { claude } from './claude.ts';
import { codex } from './codex.ts';
import { gemini } from './gemini.ts';
import { opencode } from './opencode.ts';

const BY_NAME: Readonly<Record<(typeof AGENT_NAMES)[number], Agent>> = { claude, codex, gemini, opencode };

/** The agents that onceover knows, in the order in which they are preferred. */
export const AGENTS: readonly Agent[] = AGENT_NAMES.map((name) => BY_NAME[name]);
