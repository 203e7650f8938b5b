// Finds functions with too many branches. `node tools/review/complexity.mjs` lists those of all packages; with files or folders as
// arguments, those of these. Exits with 1 if there are any.
import { readFileSync, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { filesIn } from './files.mjs';

/** The highest cyclomatic complexity of a function: one, plus one for each place where it may take another way. */
export const MOST_COMPLEXITY = 20;

const BRANCHES = new Set([
  ts.SyntaxKind.IfStatement,
  ts.SyntaxKind.ConditionalExpression,
  ts.SyntaxKind.ForStatement,
  ts.SyntaxKind.ForInStatement,
  ts.SyntaxKind.ForOfStatement,
  ts.SyntaxKind.WhileStatement,
  ts.SyntaxKind.DoStatement,
  ts.SyntaxKind.CaseClause,
  ts.SyntaxKind.CatchClause,
]);

const BRANCHING_OPERATORS = new Set([
  ts.SyntaxKind.AmpersandAmpersandToken,
  ts.SyntaxKind.BarBarToken,
  ts.SyntaxKind.QuestionQuestionToken,
  ts.SyntaxKind.AmpersandAmpersandEqualsToken,
  ts.SyntaxKind.BarBarEqualsToken,
  ts.SyntaxKind.QuestionQuestionEqualsToken,
]);

/** Returns the functions of a file with their complexity. A function inside another one counts separately. */
export function complexities(path, text) {
  const source = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  const functions = [];
  const visit = (node, owner) => {
    let current = owner;
    if (ts.isFunctionLike(node) && node.body !== undefined) {
      const line = source.getLineAndCharacterOfPosition(node.getStart(source)).line + 1;
      current = { name: nameOf(node), line, complexity: 1 };
      functions.push(current);
    } else if (current !== null && isBranch(node)) current.complexity += 1;
    ts.forEachChild(node, (child) => visit(child, current));
  };
  visit(source, null);
  return functions;
}

function isBranch(node) {
  if (ts.isBinaryExpression(node)) return BRANCHING_OPERATORS.has(node.operatorToken.kind);
  return BRANCHES.has(node.kind);
}

function nameOf(node) {
  const named = node.name ?? (ts.isVariableDeclaration(node.parent) ? node.parent.name : undefined);
  return named === undefined ? '(unnamed)' : named.getText();
}

function sourceFiles(paths) {
  return paths.flatMap((path) =>
    statSync(path).isFile() ? [path] : filesIn(path).filter((file) => /\/src\/.*\.tsx?$/.test(file)),
  );
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const paths = process.argv.length > 2 ? process.argv.slice(2) : ['packages'];
  let count = 0;
  for (const file of sourceFiles(paths)) {
    for (const { name, line, complexity } of complexities(file, readFileSync(file, 'utf8'))) {
      if (complexity <= MOST_COMPLEXITY) continue;
      count += 1;
      process.stdout.write(`${file}:${line} ${name}: ${complexity}\n`);
    }
  }
  process.stdout.write(`${count} functions over ${MOST_COMPLEXITY}\n`);
  process.exitCode = count > 0 ? 1 : 0;
}
