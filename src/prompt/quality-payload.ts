import { fence } from '../domain/fence.ts';
import type { OutputContent } from '../domain/quality.ts';
import { quoteName, showUnseen } from '../domain/quote-name.ts';

/** A file with what was found in it. */
export type ShownOutput = { readonly path: string; readonly content: Exclude<OutputContent, { kind: 'outside' }> };

/** Files that are only named, and the folder that their paths count from. */
export type ListedOutputs = {
  readonly files: readonly { readonly output: string; readonly path: string }[];
  readonly root: string;
};

const EQUALS = '='.repeat(20);
const DASHES = '-'.repeat(20);

/** The outputs with their contents. Each content is in a block that it cannot close; what is no content is in none. */
export function shownPayload(files: readonly ShownOutput[], notes: string | null): string {
  const shown = files.map(({ path, content }) => `${DASHES} ${onOneLine(path)} ${DASHES}\n${tellContent(content)}`);
  return payload(shown.length === 0 ? null : `\n${shown.join('\n\n')}\n`, notes);
}

/** The outputs by their paths alone. */
export function listedPayload({ files, root }: ListedOutputs, notes: string | null): string {
  const listed = files.map(({ output, path }) => `- ${onOneLine(path)} (output: ${onOneLine(output)})`);
  const notice = `There are ${files.length} output files, more than are shown with their contents, so only their paths are listed. Read the files as needed to judge the criteria. Paths count from ${onOneLine(root)}.`;
  return payload(`${notice}\n\n${listed.join('\n')}`, notes);
}

/** A name as a line has it: as it is, unless that could be taken for something else. */
export function onOneLine(name: string): string {
  const isPlain = showUnseen(name) === name && name.trim() === name && !/^$|^"| \(output: /.test(name);
  return isPlain ? name : quoteName(name);
}

function payload(outputs: string | null, notes: string | null): string {
  const sections = [
    ...(outputs === null ? [] : [section('OUTPUTS', outputs)]),
    ...(notes === null ? [] : [section('AUTHOR NOTES', fence(notes))]),
  ];
  return sections.length === 0 ? '[No files provided]' : sections.join('\n\n');
}

function section(name: string, text: string): string {
  return `${EQUALS} BEGIN ${name} ${EQUALS}\n${text}\n${EQUALS} END ${name} ${EQUALS}`;
}

function tellContent(content: ShownOutput['content']): string {
  switch (content.kind) {
    case 'text':
      return fence(content.text);
    case 'binary':
      return `[Binary file - not included in review. Read from: ${showUnseen(content.path)}]`;
    case 'missing':
      return '[File not found]';
    case 'unreadable':
      return `[Error reading file: ${showUnseen(content.error)}]`;
  }
}
