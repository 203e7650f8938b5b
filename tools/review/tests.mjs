// Finds tests that assert nothing, directly or in functions they call. Functions are matched by name across imported files, so some idle
// tests are missed.
import { dirname, join } from 'node:path';
import ts from 'typescript';
import { answer } from './answer.mjs';
import { filesIn, problemAt, TESTS, textOf } from './files.mjs';

const sources = new Map();
const known = new Map();
const TEST = /^(?:test|it)(?:\.(?:only|skip|concurrent|sequential|fails))?$/;

await answer('tests without an assertion', (shown) =>
  filesIn(...TESTS)
    .filter((file) => file.endsWith('.test.ts') && (shown === null || shown.has(file)))
    .flatMap((file) => idleTests(sourceOf(file))),
);

function sourceOf(file) {
  const before = sources.get(file);
  if (before !== undefined) return before;
  const source = ts.createSourceFile(file, textOf(file), ts.ScriptTarget.Latest, true);
  sources.set(file, source);
  return source;
}

function idleTests(source) {
  const unclear = testsIn(source).filter(({ names }) => ![...names].some(isAssertion));
  const asserting = unclear.length === 0 ? new Set() : assertingNames(source);
  return unclear.flatMap(({ call, names }) => {
    if ([...names].some((name) => asserting.has(name))) return [];
    const { line } = source.getLineAndCharacterOfPosition(call.getStart());
    return [
      problemAt(source.fileName, line + 1, {
        code: source.text.split('\n')[line].trim(),
        issue: `The test ${call.arguments[0].getText()} asserts nothing.`,
        fix: 'Add an assertion or delete the test: a test that cannot fail is a defect.',
        priority: 'high',
      }),
    ];
  });
}

/** Returns the tests of a file with the names used in them. A test without a body is skipped. */
function testsIn(source) {
  const found = [];
  visit(source, (node) => {
    if (!ts.isCallExpression(node)) return;
    const { expression } = node;
    const [title, ...body] = node.arguments;
    if (
      body.length === 0 ||
      !(ts.isStringLiteralLike(title) || ts.isTemplateExpression(title) || ts.isIdentifier(title))
    )
      return;
    const isMade = ts.isCallExpression(expression) && /^(?:test|it)\./.test(expression.expression.getText());
    if (isMade || TEST.test(expression.getText())) found.push({ call: node, names: namesIn(...body) });
  });
  return found;
}

function isAssertion(name) {
  return /^(?:expect|assert)/.test(name);
}

/** Returns the names of functions that assert, directly or through calls, in a file and its imports. */
function assertingNames(source) {
  const functions = [...importedBy(source)].flatMap(functionsIn);
  const found = new Set();
  for (let before = -1; before !== found.size; ) {
    before = found.size;
    for (const { name, inside } of functions) {
      if ([...inside].some((one) => isAssertion(one) || found.has(one))) found.add(name);
    }
  }
  return found;
}

function importedBy(source, found = new Set()) {
  if (found.has(source)) return found;
  found.add(source);
  for (const { moduleSpecifier } of source.statements) {
    const file = fileOf(source, moduleSpecifier?.text ?? '');
    if (/^(?:packages\/\w+\/)?test\/.*\.ts$/.test(file)) importedBy(sourceOf(file), found);
  }
  return found;
}

/** Returns the path of an imported file of this repository; an empty string for other modules. */
function fileOf(source, from) {
  if (from.startsWith('@onceover/testing/')) return from.replace('@onceover/testing/', 'test/support/');
  return from.startsWith('.') ? join(dirname(source.fileName), from) : '';
}

/** Returns the functions of a file with the names used in them. */
function functionsIn(source) {
  const before = known.get(source);
  if (before !== undefined) return before;
  const functions = [];
  visit(source, (node) => {
    const name = nameOf(node);
    if (name !== null) functions.push({ name, inside: namesIn(node) });
  });
  known.set(source, functions);
  return functions;
}

function nameOf(node) {
  if ((ts.isFunctionDeclaration(node) || ts.isMethodDeclaration(node)) && node.body)
    return node.name?.getText() ?? null;
  if (!ts.isVariableDeclaration(node) && !ts.isPropertyAssignment(node)) return null;
  const { initializer } = node;
  const isFunction = initializer && (ts.isArrowFunction(initializer) || ts.isFunctionExpression(initializer));
  return isFunction ? node.name.getText() : null;
}

/** Returns the names used in some nodes; a throw statement counts as "assert". */
function namesIn(...parts) {
  const names = new Set();
  for (const part of parts) {
    visit(part, (node) => {
      if (ts.isIdentifier(node)) names.add(node.text);
      if (ts.isThrowStatement(node)) names.add('assert');
    });
  }
  return names;
}

function visit(node, look) {
  look(node);
  ts.forEachChild(node, (child) => visit(child, look));
}
