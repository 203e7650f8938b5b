import type { Fence, Page, Span } from './pages.ts';
import { isSynopsis, oneByOne, plainly, withoutComment } from './words.ts';

/** A command that a page shows to the reader. */
export type Told = {
  /** The command as if onceover were installed. */
  readonly command: string;
  readonly at: string;
  /** Whether the command may only be a name in a sentence, and not a line to copy. */
  readonly inSentence: boolean;
  readonly isSynopsis: boolean;
  /** Options that the text beside the command names. */
  readonly besides: readonly string[];
};

/** Commands of one block, to be run one after another. */
export type Story = readonly Told[];

const PROGRAMS =
  /^(?:[A-Z][A-Z_]*=\S* )*(?:onceover|npx(?: -y| --yes| --no-install)? onceover(?:@[\d.]+)?|npm|npx|claude|codex|gemini|git|node) \S/;
const SHORTHAND =
  /^(?:run|status|ui|explain|resolve|init|doctor|trust|demo|mcp|instructions|rules|pass|phase|cost|clean|hook (?:stop|snooze)|workflow (?:list|start|finish|status|abort)) (?:[<[-]|[A-Z]{2})/;

/** Returns every command of a page. */
export function storiesOf({ fences, spans }: Page): readonly Story[] {
  return [...fences.flatMap(storiesInFence), ...spans.flatMap(storyInSpan)].filter((story) => story.length > 0);
}

function storiesInFence(fence: Fence): readonly Story[] {
  switch (fence.info) {
    case 'sh':
    case 'bash':
      return [linesOf(fence).flatMap(({ text, at }) => oneByOne(withoutComment(text)).map((one) => toldAt(one, at)))];
    case 'console':
      return [prompted(fence)];
    case '':
    case 'text':
      return [...listed(fence), ...prompted(fence).map((one) => [one])];
    default:
      return [];
  }
}

/** Joins continued lines. */
function linesOf(fence: Fence): readonly { readonly text: string; readonly at: string }[] {
  const lines: { text: string; at: string }[] = [];
  let before = '';
  for (const [index, line] of fence.text.split('\n').entries()) {
    if (line.endsWith('\\')) before += `${line.slice(0, -1).trimEnd()} `;
    else {
      lines.push({ text: before + line.trim(), at: `${fence.page}:${fence.line + index}` });
      before = '';
    }
  }
  return lines;
}

/** Returns the lines typed after a prompt, without the printed output. */
function prompted(fence: Fence): Story {
  return linesOf(fence).flatMap(({ text, at }) => {
    const [, typed] = /^\$ (.+)$/.exec(text) ?? [];
    return typed === undefined ? [] : oneByOne(withoutComment(typed)).map((one) => toldAt(one, at));
  });
}

/** Reads a list of commands, each with a description beside or below it. A help page is no such list. */
function listed(fence: Fence): readonly Story[] {
  if (fence.text.startsWith('Usage: ')) return [];
  const found: Told[][] = [];
  for (const [index, line] of fence.text.split('\n').entries()) {
    const [, command, beside = ''] = /^((?:npx (?:--no-install )?)?onceover \S.*?)(?:\s{2,}(.*)|\s*)$/.exec(line) ?? [];
    const besides = (command === undefined ? line : beside).match(/(?<![\w-])--[a-z][a-z-]*/g) ?? [];
    if (command !== undefined) {
      const at = `${fence.page}:${fence.line + index}`;
      for (const one of eachChoice(withoutComment(command))) found.push([{ ...toldAt(one, at), besides }]);
    } else if (/^\s/.test(line)) {
      const last = found.at(-1)?.[0];
      if (last !== undefined) found[found.length - 1] = [{ ...last, besides: [...last.besides, ...besides] }];
    } else if (line.trim() !== '') found.push([]);
  }
  return found;
}

/** `cost --json | --csv` is two commands. */
function eachChoice(command: string): readonly string[] {
  const [first = '', ...others] = command.split(/ \| (?=--)/);
  return isSynopsis(first) ? [command] : [first, ...others.map((one) => first.replace(/--\S+$/, one))];
}

function storyInSpan({ page, line, text }: Span): readonly Story[] {
  const at = `${page}:${line}`;
  // The name of a check, such as `onceover / main`, is not a command.
  if (/^onceover(?: \/ |: )/.test(text)) return [];
  if (PROGRAMS.test(text)) return [[{ ...toldAt(text, at), inSentence: true }]];
  if (SHORTHAND.test(text)) return [[{ ...toldAt(`onceover ${text}`, at), inSentence: true, isSynopsis: true }]];
  return [];
}

export function toldAt(text: string, at: string): Told {
  const command = plainly(text);
  return { command, at, inSentence: false, isSynopsis: isSynopsis(command), besides: [] };
}
