// Generates specifications from a seed: sections of sentences, lists, tables and code.

/** Generates a document of about this many characters. `style`: one line per paragraph, wrapped, or both. */
export function makeDocument(random, { size, style }) {
  const document = { title: `# ${title(random)}`, sections: [] };
  while (render(document).length < size) document.sections.push(makeSection(random, style));
  return document;
}

/** Generates a section with a heading and some blocks. */
export function makeSection(random, style) {
  const blocks = [makeParagraph(random, style)];
  for (let n = random.between(1, 4); n > 0; n--) {
    const kind = random.weighed({ paragraph: 4, list: 5, table: 1.2, code: 0.8 });
    if (kind === 'paragraph') blocks.push(makeParagraph(random, style));
    if (kind === 'list') blocks.push(makeList(random, style));
    if (kind === 'table') blocks.push(makeTable(random));
    if (kind === 'code') blocks.push({ kind, lines: some(random, [4, 14], () => codeLine(random)) });
  }
  return { heading: `${random.chance(0.3) ? '###' : '##'} ${title(random)}`, blocks };
}

function makeParagraph(random, style) {
  const wrap = widthOf(random, style);
  return { kind: 'paragraph', wrap, sentences: some(random, [2, 6], () => sentence(random)) };
}

function makeList(random, style) {
  const wrap = widthOf(random, style);
  const items = some(random, [3, 7], () => some(random, [1, 3], () => sentence(random)));
  return { kind: 'list', wrap, mark: random.pick(['-', '-', '1.']), items };
}

function makeTable(random) {
  const columns = random.between(3, 5);
  const row = () => [
    `R-${random.between(1, 99)}`,
    ...Array.from({ length: columns - 1 }, () => words(random, random.between(2, 10))),
  ];
  return {
    kind: 'table',
    head: Array.from({ length: columns }, () => random.pick(NOUNS)),
    rows: some(random, [4, 10], row),
  };
}

function widthOf(random, style) {
  if (style === 'mixed') return random.chance(0.5) ? 0 : random.between(72, 110);
  return style === 'wrapped' ? 88 : 0;
}

/** Returns the document as Markdown. */
export function render({ title: heading, sections }) {
  const blocks = sections.flatMap((section) => [section.heading, ...section.blocks.map(renderBlock)]);
  return `${[heading, ...blocks].join('\n\n')}\n`;
}

function renderBlock(block) {
  switch (block.kind) {
    case 'paragraph':
      return wrapped(block.sentences.join(' '), block.wrap, '');
    case 'list':
      return block.items
        .map((item) => `${block.mark} ${wrapped(item.join(' '), block.wrap, ' '.repeat(block.mark.length + 1))}`)
        .join('\n');
    case 'table':
      return [block.head, block.head.map(() => '---'), ...block.rows].map((row) => `| ${row.join(' | ')} |`).join('\n');
    case 'code':
      return ['```ts', ...block.lines, '```'].join('\n');
  }
}

function wrapped(text, width, indent) {
  if (width === 0) return text;
  const lines = [''];
  for (const word of text.split(' ')) {
    const line = lines.at(-1);
    if (line !== '' && line.length + 1 + word.length > width) lines.push(`${indent}${word}`);
    else lines[lines.length - 1] = line === '' ? word : `${line} ${word}`;
  }
  return lines.join('\n');
}

/** Generates a sentence of 40 to 220 characters. */
export function sentence(random) {
  const parts = [
    `${capital(random.pick(DETERMINERS))} ${words(random, random.between(1, 2))} ${random.pick(MODALS)} ${random.pick(VERBS)} the ${words(random, random.between(1, 3))}`,
  ];
  if (random.chance(0.6)) parts.push(`${random.pick(CONDITIONS)} the ${words(random, 2)} ${random.pick(STATES)}`);
  if (random.chance(0.35)) parts.push(`within ${random.between(1, 900)} ${random.pick(UNITS)}`);
  if (random.chance(0.25)) parts.push(`(see R-${random.between(1, 99)})`);
  return `${parts.join(random.chance(0.3) ? ', ' : ' ')}.`;
}

/** Returns the sentence with some words replaced. */
export function reworded(random, text) {
  const parts = text.split(' ');
  for (let n = random.between(1, 6); n > 0; n--) {
    const at = random.between(1, Math.max(1, parts.length - 2));
    const how = random.next();
    if (how < 0.6) parts[at] = random.pick(NOUNS);
    else if (how < 0.85) parts.splice(at, 0, random.pick(ADJECTIVES));
    else if (parts.length > 6) parts.splice(at, 1);
  }
  return parts.join(' ');
}

export function codeLine(random) {
  const name = () => `${random.pick(NOUNS)}${capital(random.pick(NOUNS))}`;
  return random.pick([
    () => `const ${name()} = ${name()}(${random.pick(NOUNS)}, ${random.between(0, 500)});`,
    () => `  if (${name()} > ${random.between(0, 500)}) return null;`,
    () => `  readonly ${name()}: ${random.pick(['string', 'number', 'boolean'])};`,
    () => '}',
    () => `// ${words(random, 5)}`,
  ])();
}

export function title(random) {
  return `${capital(random.pick(ADJECTIVES))} ${words(random, random.between(1, 3))} ${random.between(1, 99)}`;
}

/** Returns some words in a row. */
export function words(random, count) {
  return Array.from({ length: count }, (_, n) => random.pick(n + 1 < count ? [...ADJECTIVES, ...NOUNS] : NOUNS)).join(
    ' ',
  );
}

function some(random, [low, high], make) {
  return Array.from({ length: random.between(low, high) }, make);
}

const capital = (text) => text.charAt(0).toUpperCase() + text.slice(1);

const DETERMINERS = ['the', 'every', 'each', 'a', 'no', 'any'];
const MODALS = ['must', 'may', 'must not', 'should', 'has to', 'can'];
const VERBS =
  'accept archive check close compare copy delete deliver export import keep list load lock log merge move notify open print queue read reject rename repeat replace report reserve restore retry send show sign sort split start stop store sum sync verify write'.split(
    ' ',
  );
const NOUNS =
  'account address agent amount answer archive attempt balance batch border branch cache call channel charge claim client clock code column contract copy customer cycle deadline delivery device discount document draft entry error event export feature field file filter folder format gateway group header history import index invoice item journal key label ledger limit line list lock machine mail margin message meter name note number offer option order owner page parcel partner password payment period plan policy price print process profile quota rate reader receipt record region report request role route rule sample schedule schema section server session shipment signal slot source stage state status step stock store stream subject table tariff task tax template tenant term ticket token total trace unit update user value vendor version volume warehouse window worker zone'.split(
    ' ',
  );
const ADJECTIVES =
  'active average blank broken closed common complete current daily double early empty external final first foreign former full future hidden idle internal large last late local locked main manual minimal missing monthly narrow new nightly old open optional other overdue own partial pending permanent planned plain previous private public quick rare recent regular related remote second shared short signed silent single slow small sorted stale static temporary third total unknown unpaid unused upper usual valid visible weekly whole wide'.split(
    ' ',
  );
const CONDITIONS = ['when', 'unless', 'as long as', 'before', 'after', 'even if', 'until'];
const STATES = [
  'is closed',
  'has changed',
  'cannot be read',
  'is empty',
  'was sent twice',
  'is too large',
  'has expired',
  'is not known',
];
const UNITS = ['seconds', 'minutes', 'hours', 'days', 'entries', 'calls', 'bytes'];
