// Revises documents between two reviews: by profiles, from a seed.
import { codeLine, makeDocument, makeSection, render, reworded, sentence, title, words } from './documents.mjs';
import { seeded } from './random.mjs';

const VERSIONS = 5;

/** How often each profile appears in twenty sequences. */
const TURNS = [
  ...['usual', 'small', 'usual', 'large', 'usual', 'tables', 'small', 'usual', 'mixed', 'small'],
  ...['usual', 'reflow', 'usual', 'small', 'usual', 'moves', 'large', 'usual', 'mixed', 'small'],
];
const STYLES = ['long', 'mixed', 'wrapped', 'long', 'mixed', 'long', 'mixed'];

/**
 * Returns this many sequences: five versions of a document each, the answers of a reviewer, and the upstream document.
 */
export function makeSequences(seed, count) {
  return Array.from({ length: count }, (_, n) => {
    const random = seeded(seed * 10_007 + n);
    const profile = TURNS[n % TURNS.length];
    const style = STYLES[n % STYLES.length];
    let document = makeDocument(random, { size: sizeOf(random), style });
    const versions = [render(document)];
    while (versions.length < VERSIONS) {
      document = revised(random, document, { profile, style });
      versions.push(render(document));
    }
    return {
      profile,
      versions,
      upstream: render(makeDocument(random, { size: versions[0].length * (0.3 + random.next() * 0.6), style })),
      issues: versions.map(() => Array.from({ length: random.between(2, 4) }, () => makeIssue(random))),
      fixes: versions.map(() => Array.from({ length: random.between(2, 4) }, () => sentence(random)).join(' ')),
    };
  });
}

/** Around 16,000 characters, from 5,000 to 40,000. */
function sizeOf(random) {
  const bell = random.next() + random.next() + random.next() - 1.5;
  return Math.min(39_000, Math.max(5000, 16_500 * Math.exp(bell * 1.1)));
}

function makeIssue(random) {
  const severity = random.pick(['blocker', 'warning', 'warning', 'suggestion']);
  const location = `R-${random.between(1, 99)}`;
  return { severity, category: 'clarity', description: sentence(random), location, suggestion: sentence(random) };
}

/** Returns the next version of a document. */
function revised(random, document, { profile, style }) {
  const draft = structuredClone(document);
  const kind = profile === 'mixed' ? random.pick(TURNS.filter((one) => one !== 'mixed')) : profile;
  const size = render(draft).length;
  const upTo = (low, high, stays = 0.8) => {
    editText(random, draft, { characters: size * (low + random.next() * (high - low)), stays });
  };
  switch (kind) {
    case 'small':
      upTo(0.01, 0.03);
      break;
    case 'usual':
      upTo(0.04, 0.08);
      break;
    case 'large':
      if (random.chance(0.4))
        draft.sections.splice(random.between(1, draft.sections.length), 0, makeSection(random, style));
      if (random.chance(0.4) && draft.sections.length > 4) draft.sections.splice(placeIn(random, draft), 1);
      upTo(0.2, 0.5, 0.9);
      break;
    case 'reflow':
      for (const block of blocksOf(draft, 'paragraph', 'list'))
        if (random.chance(0.6)) block.wrap = newWidth(random, block);
      upTo(0.005, 0.02);
      break;
    case 'tables':
      for (let n = random.between(1, 3); n > 0; n--) editTable(random, draft);
      upTo(0.003, 0.01);
      break;
    case 'moves':
      for (let n = random.between(1, 2); n > 0; n--) moveSection(random, draft);
      if (random.chance(0.5)) random.pick(draft.sections).heading = `## ${title(random)}`;
      upTo(0.005, 0.02);
      break;
  }
  return draft;
}

const placeIn = (random, { sections }) => random.between(0, sections.length - 1);

function blocksOf({ sections }, ...kinds) {
  return sections.flatMap(({ blocks }) => blocks).filter(({ kind }) => kinds.includes(kind));
}

/**
 * Changes text until the touched sentences have this many characters. Successive changes mostly stay in the same place.
 */
function editText(random, draft, { characters, stays }) {
  let section = random.pick(draft.sections);
  let block = random.pick(section.blocks);
  for (let touched = 0; touched < characters; ) {
    if (!random.chance(stays)) section = random.pick(draft.sections);
    if (!section.blocks.includes(block) || !random.chance(stays)) block = random.pick(section.blocks);
    touched += editBlock(random, block);
  }
}

/** Changes a sentence or a line in a block and returns its length in characters. */
function editBlock(random, block) {
  switch (block.kind) {
    case 'paragraph':
      return editSentences(random, block.sentences);
    case 'list': {
      if (random.chance(0.3)) {
        const item = [sentence(random)];
        block.items.splice(random.between(0, block.items.length), 0, item);
        return item[0].length;
      }
      return editSentences(random, random.pick(block.items));
    }
    case 'table':
      return editCell(random, block);
    case 'code': {
      const line = codeLine(random);
      block.lines.splice(random.between(0, block.lines.length - 1), random.chance(0.7) ? 1 : 0, line);
      return line.length;
    }
  }
}

function editSentences(random, list) {
  const at = random.between(0, list.length - 1);
  const before = list[at];
  const how = random.weighed({ reword: 4, replace: 2, add: 3, remove: 1 });
  if (how === 'reword') list[at] = reworded(random, before);
  if (how === 'replace') list[at] = sentence(random);
  if (how === 'add') list.splice(at + 1, 0, sentence(random));
  if (how === 'remove' && list.length > 1) list.splice(at, 1);
  return before.length;
}

function editCell(random, { rows }) {
  const row = random.pick(rows);
  const at = random.between(1, row.length - 1);
  row[at] = words(random, random.between(2, 10));
  return row[at].length;
}

function editTable(random, draft) {
  const tables = blocksOf(draft, 'table');
  if (tables.length === 0) return;
  const table = random.pick(tables);
  const how = random.weighed({ cells: 6, row: 3, column: 1, order: 1, less: 1 });
  if (how === 'cells') for (let n = random.between(1, 4); n > 0; n--) editCell(random, table);
  if (how === 'row')
    table.rows.splice(
      random.between(0, table.rows.length),
      0,
      table.head.map(() => words(random, 4)),
    );
  if (how === 'less' && table.rows.length > 2) table.rows.splice(random.between(0, table.rows.length - 1), 1);
  if (how === 'order') table.rows.sort(([a], [b]) => (a < b ? -1 : 1));
  if (how === 'column') {
    table.head.push(words(random, 1));
    for (const row of table.rows) row.push(words(random, random.between(1, 4)));
  }
}

function moveSection(random, draft) {
  const [section] = draft.sections.splice(placeIn(random, draft), 1);
  draft.sections.splice(random.between(0, draft.sections.length), 0, section);
}

function newWidth(random, { wrap }) {
  return wrap === 0 || random.chance(0.7) ? random.between(72, 110) : 0;
}
