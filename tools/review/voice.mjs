// Finds prose that is hard to read: banned words, comments that begin with a relative clause, names exported twice.
// Run it alone for a list: node tools/review/voice.mjs --list [paths…]
import ts from 'typescript';
import { answer } from './answer.mjs';
import { filesIn, problemAt, SOURCES, textOf } from './files.mjs';

/** Each banned word with the ordinary one. */
const BANNED = [
  [/\bmend(?:s|ed|ing)?\b/i, 'fix'],
  [/\b(?:whoever|somebody|nobody)\b/i, 'name the actor: the user, a reviewer, an agent, no reviewer'],
  [/\b(?:anew|afresh)\b/i, 'again'],
  [/\bgraver\b/i, 'more severe'],
  [/\bwhat is there now\b/i, 'the current code'],
  [/\bunless told\b/i, 'default: …'],
  [/\b(?:is|be|get) rid of\b/i, 'remove'],
  [/\bput right\b/i, 'fix'],
  [/\b(?:told|tells|telling)\b/i, 'report, describe, say'],
  [/\bto be had\b/i, 'available'],
  [/\b(?:is|are) no more\b/i, 'no longer exists'],
  [/\blet(?:s)? be\b/i, 'tolerate, leave'],
  [/\bonce more\b/i, 'again'],
  [/\bagree(?:s|d)? to\b/i, 'approve'],
  [/\b(?:he|she) who\b|\bthose who\b/i, 'name the actor'],
  [
    /\b(?:is|are) no (?!longer|such|matter|different|better|worse|new|other)[a-z]+ (?:that|which|who|of)\b/i,
    '"is not a …"',
  ],
];

const RELATIVE = /^(?:What|Who|Whom|Whose|Whoever|Whatever|Where|Wherever|Which|Of|That)\b/;
const CODE = /\.(?:ts|mjs)$/;
const SKIPPED =
  /(?:^|\/)(?:golden|streams|node_modules|schemas)\/|THIRD-PARTY|CHANGELOG|tools\/review\/(?:names|voice)\.mjs|test\/tools\/voice/;

if (process.argv.includes('--list')) {
  const paths = process.argv.slice(process.argv.indexOf('--list') + 1);
  const problems = filesIn(...(paths.length === 0 ? ['.'] : paths)).flatMap(problemsIn);
  for (const { file, line, issue, code } of problems) console.log(`${file}:${line} ${issue} ${code}`);
  console.log(`${problems.length} problems`);
} else {
  await answer('banned words, riddles in comments, names that are exported twice', (shown) => [
    ...filesIn('.')
      .filter((file) => shown === null || shown.has(file))
      .flatMap(problemsIn),
    ...duplicateExports(),
  ]);
}

function problemsIn(file) {
  if (SKIPPED.test(file)) return [];
  if (CODE.test(file)) return proseOf(file).flatMap((prose) => problemsOf(file, prose));
  if (file.endsWith('.md')) return linesOf(file).flatMap((prose) => problemsOf(file, prose));
  return [];
}

function problemsOf(file, { line, text, kind }) {
  const words = BANNED.flatMap(([sign, better]) => {
    const found = sign.exec(text);
    if (found === null) return [];
    return [problemAt(file, line, { code: short(text), issue: `Banned: "${found[0]}".`, fix: `Write: ${better}.` })];
  });
  if (kind !== 'comment' || !RELATIVE.test(text)) return words;
  const issue = 'The comment begins with a relative clause.';
  return [...words, problemAt(file, line, { code: short(text), issue, fix: 'Name the thing, then the verb.' })];
}

/** Comments and texts of a source file. A text without a space is a name or a value, not prose. */
function proseOf(file) {
  const text = textOf(file);
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const lineOf = (position) => source.getLineAndCharacterOfPosition(position).line + 1;
  const found = [];
  const seen = new Set();
  const comment = ({ pos, end }) => {
    if (seen.has(pos)) return;
    seen.add(pos);
    const bare = text
      .slice(pos, end)
      .replace(/^\/\*\*?|\*\/$/g, '')
      .replace(/^\s*(?:\*|\/\/) ?/gm, '')
      .trim();
    found.push({ line: lineOf(pos), text: bare, kind: 'comment' });
  };
  visit(source, (node) => {
    for (const one of ts.getLeadingCommentRanges(text, node.getFullStart()) ?? []) comment(one);
    for (const one of ts.getTrailingCommentRanges(text, node.getEnd()) ?? []) comment(one);
    const isText = ts.isStringLiteralLike(node) || ts.isTemplateHead(node) || ts.isTemplateMiddleOrTemplateTail(node);
    if (isText && node.text.includes(' ')) {
      found.push({ line: lineOf(node.getStart()), text: withoutCode(node.text), kind: 'text' });
    }
  });
  // A line comment that continues the one above is not a beginning.
  const lines = new Map(found.filter(({ kind }) => kind === 'comment').map((one) => [one.line, one]));
  return found.map((one) => (one.kind === 'comment' && lines.has(one.line - 1) ? { ...one, kind: 'more' } : one));
}

/** Values and names in backticks are quoted, so the list of banned words does not apply to them. */
function withoutCode(text) {
  return text.replace(/`[^`]*`/g, '');
}

/** Lines of a Markdown page, without code blocks and inline code. */
function linesOf(file) {
  let fenced = false;
  return textOf(file)
    .split('\n')
    .flatMap((text, index) => {
      if (/^\s*(?:```|~~~)/.test(text)) fenced = !fenced;
      return fenced ? [] : [{ line: index + 1, text: withoutCode(text), kind: 'page' }];
    });
}

function duplicateExports() {
  const homes = new Map();
  for (const file of filesIn(...SOURCES)) {
    if (/^packages\/onceover\/src\/(?:index|api)\.ts$/.test(file) || !file.endsWith('.ts')) continue;
    for (const [, name] of textOf(file).matchAll(
      /^export (?:async )?(?:function\*?|const|type|interface|class) (\w+)/gm,
    )) {
      const before = homes.get(name);
      if (before === undefined) homes.set(name, file);
      else if (before !== file) homes.set(`${name} again`, [before, file, name]);
    }
  }
  return [...homes.values()]
    .filter((home) => Array.isArray(home))
    .map(([first, file, name]) =>
      problemAt(file, 1, { issue: `${name} is exported by ${first} too.`, fix: 'Give one of them another name.' }),
    );
}

function short(text) {
  return text.replaceAll(/\s+/g, ' ').slice(0, 120);
}

function visit(node, look) {
  look(node);
  ts.forEachChild(node, (child) => visit(child, look));
}
