import type { Agent } from './agent.ts';
import { claude } from './claude.ts';
import { codex } from './codex.ts';
import { gemini } from './gemini.ts';
import { opencode } from './opencode.ts';

/** The agents that onceover knows, in the order in which they are preferred. */
export const AGENTS: readonly Agent[] = [claude, codex, gemini, opencode];
