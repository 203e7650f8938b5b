// Finds local names that say nothing about what they hold: a bare participle or pronoun such as `found` or `one`, used for more than three
// lines. `node tools/review/names.mjs` lists them by file, with the share of all local names; with files as arguments, lists those of these files.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

/** A name may be short where its whole life is on the screen at once. */
const FEW_LINES = 3;

const PRONOUNS = new Set(
  (
    'one ones it its they them both all each other others another some any none such same these those that this what which who whom whose ' +
    'more most less least rest everything nothing anything something everyone anyone someone mine ours own'
  ).split(' '),
);

const IRREGULAR = new Set(
  (
    'been begun bent bought bound broken brought built caught chosen cut come done drawn driven drunk fallen fed felt fought found forgotten ' +
    'frozen given gone gotten grown heard held hidden hit hung hurt kept known laid led left lent let lit lost made meant met mown paid put ' +
    'quit read ridden risen run rung said sat sawn seen sent set sewn shaken shed shone shot shown shut slept slid sold sought spent split ' +
    'spoken spread spun stolen stood struck stuck sunk sworn swept swum swung taken taught thought thrown told torn understood undone ' +
    'unknown unread unseen woken won worn wound woven written'
  ).split(' '),
);

/** Nouns of the trade that look like participles. */
const NOUNS = new Set(
  'seed need feed speed bed red embed weed breed deed reed hundred sled read cut run set split spread'.split(' '),
);

/** Whether a name is one bare word that is a participle or a pronoun. */
export function isBare(name) {
  if (!/^[a-z]+$/.test(name)) return false;
  if (NOUNS.has(name)) return name === 'read';
  return PRONOUNS.has(name) || IRREGULAR.has(name) || /[a-z]{2}ed$/.test(name);
}

/** Returns the local names of a file: variables and parameters, without names that a destructured type dictates. */
export function localNames(path, text) {
  const source = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  const names = [];
  const line = (position) => source.getLineAndCharacterOfPosition(position).line + 1;
  const add = (node, scope) => {
    if (ts.isIdentifier(node)) {
      const last = lastUse(node, scope);
      names.push({
        name: node.text,
        line: line(node.getStart(source)),
        lines: line(last) - line(node.getStart(source)) + 1,
      });
      return;
    }
    for (const element of node.elements ?? []) {
      if (ts.isOmittedExpression(element)) continue;
      const isOwnName =
        ts.isArrayBindingPattern(node) || element.propertyName !== undefined || !ts.isIdentifier(element.name);
      if (isOwnName) add(element.name, scope);
    }
  };
  const lastUse = (identifier, scope) => {
    let last = identifier.end;
    const visit = (node) => {
      if (ts.isIdentifier(node) && node.text === identifier.text && node.end > last && !isMember(node)) last = node.end;
      ts.forEachChild(node, visit);
    };
    visit(scope);
    return last;
  };
  const visit = (node, scope) => {
    const inner =
      ts.isBlock(node) ||
      ts.isFunctionLike(node) ||
      ts.isForStatement(node) ||
      ts.isForOfStatement(node) ||
      ts.isCatchClause(node)
        ? node
        : scope;
    const isLocal = inner !== source;
    if (ts.isVariableDeclaration(node) && isLocal) add(node.name, inner);
    if (ts.isParameter(node) && !ts.isTypeElement(node.parent) && !ts.isFunctionTypeNode(node.parent))
      add(node.name, node.parent);
    ts.forEachChild(node, (child) => visit(child, inner));
  };
  visit(source, source);
  return names;
}

/** Whether an identifier is the name of a property and not a variable. */
function isMember(node) {
  const { parent } = node;
  return (
    (ts.isPropertyAccessExpression(parent) && parent.name === node) ||
    (ts.isPropertyAssignment(parent) && parent.name === node) ||
    ts.isPropertySignature(parent)
  );
}

function sourceFiles() {
  return readdirSync('packages').flatMap((name) =>
    readdirSync(join('packages', name, 'src'), { recursive: true })
      .filter((file) => /\.tsx?$/.test(file))
      .map((file) => join('packages', name, 'src', file)),
  );
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const files = process.argv.length > 2 ? process.argv.slice(2) : sourceFiles();
  let [all, bare, long] = [0, 0, 0];
  for (const file of files) {
    for (const { name, line, lines } of localNames(file, readFileSync(file, 'utf8'))) {
      all += 1;
      if (!isBare(name)) continue;
      bare += 1;
      if (lines <= FEW_LINES) continue;
      long += 1;
      process.stdout.write(`${file}:${line} ${name} (${lines} lines)\n`);
    }
  }
  const share = ((100 * bare) / Math.max(1, all)).toFixed(1);
  process.stdout.write(
    `${all} local names, ${bare} bare (${share} %), ${long} of these used for more than ${FEW_LINES} lines\n`,
  );
}
