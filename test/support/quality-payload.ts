/** A payload as a line-by-line reader sees it: files with their content or its replacement, and notes. */
export type ReadPayload = {
  readonly files: readonly { readonly name: string; readonly content: string | null; readonly words: string | null }[];
  readonly notes: string | null;
};

/** Reads a payload line by line, using only the lines around contents; throws if they do not match. */
export function readPayload(payload: string): ReadPayload {
  const lines = payload.split('\n');
  let at = 0;
  const next = () => {
    const line = lines[at++];
    if (line === undefined) throw new Error('the payload ends too early');
    return line;
  };
  const demand = (line: string) => {
    const found = next();
    if (found !== line) throw new Error(`${JSON.stringify(line)} belongs where ${JSON.stringify(found)} stands`);
  };
  const block = (): string => {
    const marks = next();
    if (!/^`{3,}$/.test(marks)) throw new Error(`no block begins with ${JSON.stringify(marks)}`);
    const content: string[] = [];
    for (let line = next(); line !== marks; line = next()) content.push(line);
    return content.map((line) => `${line}\n`).join('');
  };

  const files: { name: string; content: string | null; words: string | null }[] = [];
  if (lines[at] === mark('BEGIN OUTPUTS')) {
    demand(mark('BEGIN OUTPUTS'));
    demand('');
    for (let line = next(); line !== mark('END OUTPUTS'); line = next()) {
      const name = /^-{20} (.*) -{20}$/.exec(line)?.[1];
      if (name === undefined) throw new Error(`${JSON.stringify(line)} names no file`);
      const isBroken = lines[at] === 'The exact file name:';
      if (isBroken) next();
      const exact = isBroken ? block().slice(0, -1) : name;
      const isBlock = lines[at]?.startsWith('`') === true;
      files.push({ name: exact, content: isBlock ? block() : null, words: isBlock ? null : next() });
      demand('');
    }
    if (at < lines.length) demand('');
  }
  let notes: string | null = null;
  if (at < lines.length) {
    demand(mark('BEGIN AUTHOR NOTES'));
    notes = block();
    demand(mark('END AUTHOR NOTES'));
  }
  if (at !== lines.length) throw new Error(`${JSON.stringify(lines[at])} follows the end`);
  return { files, notes };
}

function mark(words: string): string {
  return `${'='.repeat(20)} ${words} ${'='.repeat(20)}`;
}
