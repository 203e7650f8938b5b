import { endOfClass } from './glob-syntax.ts';

const MOST_ALTERNATIVES = 1000;

/** The texts that a pattern with `{a,b}` stands for, or what is wrong with it. */
export function expandBraces(source: string): readonly string[] | string {
  const done: string[] = [];
  const todo = [source];
  while (todo.length > 0) {
    const text = todo.pop() as string;
    const group = firstGroup(text);
    if (group === 'open') return 'has a "{" without "}" (write "\\{" for the character itself)';
    if (group === null) done.push(text);
    else
      for (const choice of [...group.choices].reverse())
        todo.push(text.slice(0, group.from) + choice + text.slice(group.to));
    if (done.length + todo.length > MOST_ALTERNATIVES) return `stands for more than ${MOST_ALTERNATIVES} globs`;
  }
  return done;
}

type BraceGroup = { readonly from: number; readonly to: number; readonly choices: readonly string[] };

function firstGroup(text: string): BraceGroup | 'open' | null {
  let from = -1;
  let depth = 0;
  let starts: number[] = [];
  let unclosed = false;
  for (let i = 0; i < text.length; i++) {
    const char = text[i];
    if (char === '\\') i++;
    else if (char === '[') {
      const end = unclosed ? -1 : endOfClass(text, i);
      // A class that ends nowhere is refused later; looking for its end once is enough.
      if (end === -1) unclosed = true;
      else i = end;
    } else if (char === '{') {
      if (depth++ === 0) {
        from = i;
        starts = [i + 1];
      }
    } else if (char === ',' && depth === 1) starts.push(i + 1);
    else if (char === '}' && depth > 0 && --depth === 0) {
      const choices = starts.map((start, n) => text.slice(start, (starts[n + 1] ?? i + 1) - 1));
      // "{a}" is no choice: as in shells, its braces are characters.
      if (choices.length === 1) return escapeBraces(text, from, i);
      return { from, to: i + 1, choices };
    }
  }
  return depth > 0 ? 'open' : null;
}

function escapeBraces(text: string, from: number, to: number): BraceGroup {
  return { from, to: to + 1, choices: [`\\{${text.slice(from + 1, to)}\\}`] };
}
