import { isObject } from '../json.ts';
import type { Said } from '../script.ts';
import { tokensOf } from '../tokens.ts';
import type { Content } from './wire.ts';

/** The tool that agents offer for a structured answer. */
export const STRUCTURED_TOOL = 'StructuredOutput';

/** Splits an answer into pieces; a structured answer uses its tool if the request offers that tool. */
export function contentOf(said: Said, tools: readonly string[]): readonly Content[] {
  switch (said.kind) {
    case 'text':
      return [...thinking(said.thinking), { kind: 'text', text: said.text }];
    case 'tools': {
      const text = said.text === undefined ? [] : [{ kind: 'text', text: said.text } as const];
      return [...thinking(said.thinking), ...text, ...said.calls.map((call) => ({ kind: 'call', ...call }) as const)];
    }
    case 'structured': {
      const { value } = said;
      if (tools.includes(STRUCTURED_TOOL) && isObject(value)) {
        return [{ kind: 'call', name: STRUCTURED_TOOL, input: value }];
      }
      return [{ kind: 'text', text: JSON.stringify(value) }];
    }
  }
}

/** Tokens of the answer, by the simulator's rule. */
export function outputTokens(content: readonly Content[]): number {
  return tokensOf(content.reduce((chars, one) => chars + charsOf(one), 0));
}

/** Tokens of the thinking, by the simulator's rule. */
export function thinkingTokens(content: readonly Content[]): number {
  return outputTokens(content.filter(({ kind }) => kind === 'thinking'));
}

function charsOf(content: Content): number {
  return content.kind === 'call' ? content.name.length + JSON.stringify(content.input).length : content.text.length;
}

function thinking(text: string | undefined): readonly Content[] {
  return text === undefined ? [] : [{ kind: 'thinking', text }];
}
