import fc from 'fast-check';

const piece = fc.constantFrom(
  ...['a', 'bb ', 'c. ', 'd! ', 'e? “f.” ', '…', ' ', '\n', '\n\n', '\r\n', '  \n', '\\\n', '\t', '    '],
  ...['## H\n', '# ', '- ', '2. ', '> ', '| t | u |\n', '```\n', '~~~\n', '---\n', '===\n', '* * *\n', '[-x-]', '{+'],
  ...['Every record is kept for 30 days unless its owner deletes it. ', 'A record is kept for 90 days. '],
);

/** Markdown with all kinds of blocks, also malformed ones. */
export const markdown = fc.array(piece, { maxLength: 40 }).map((pieces) => pieces.join(''));
