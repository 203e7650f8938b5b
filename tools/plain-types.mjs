// Writes dist/index.d.mts without zod: document types that are derived from schemas are written out, and what is then unused is removed.
// Users of the library do not have zod, and its own types do not pass a strict check from inside another file.
import { readFileSync, writeFileSync } from 'node:fs';
import ts from 'typescript';

const FILE = 'dist/index.d.mts';
const DERIVED = /\b(?:output|infer|input)(?:\$\d+)?<(?:typeof \w+|\(typeof \w+\)\[\w+\])>/;
const options = {
  strict: true,
  noEmit: true,
  target: ts.ScriptTarget.ES2022,
  module: ts.ModuleKind.NodeNext,
  types: ['node'],
};
const program = ts.createProgram([FILE], options);
const checker = program.getTypeChecker();
const source = program.getSourceFile(FILE);
const format =
  ts.TypeFormatFlags.NoTruncation |
  ts.TypeFormatFlags.InTypeAlias |
  ts.TypeFormatFlags.UseAliasDefinedOutsideCurrentScope;

const text = readFileSync(FILE, 'utf8');
const statements = source.statements.map((node) => ({ node, names: namesOf(node), text: written(node) }));
const kept = reachable(statements);
writeFileSync(
  FILE,
  `${statements
    .filter((one) => kept.has(one))
    .map((one) => one.text.trim())
    .join('\n')}\n`,
);

/** Returns the text of a statement; a type that is derived from a schema is expanded. */
function written(node) {
  const own = text.slice(node.getFullStart(), node.end);
  if (!ts.isTypeAliasDeclaration(node) || node.typeParameters !== undefined || !DERIVED.test(own)) return own;
  const type = checker.getTypeFromTypeNode(node.type);
  const lead = text.slice(node.getFullStart(), node.type.getStart(source));
  return `${lead}${checker.typeToString(type, node, format)};`;
}

function namesOf(node) {
  if (ts.isVariableStatement(node)) return node.declarationList.declarations.map(({ name }) => name.getText(source));
  return node.name === undefined ? [] : [node.name.getText(source)];
}

/** Returns the statements that the exports need. */
function reachable(all) {
  const byName = new Map();
  for (const one of all) for (const name of one.names) byName.set(name, [...(byName.get(name) ?? []), one]);
  const found = new Set();
  const visit = (one) => {
    if (found.has(one)) return;
    found.add(one);
    for (const name of usedIn(one.text)) for (const next of byName.get(name) ?? []) visit(next);
  };
  for (const one of all) if (ts.isExportDeclaration(one.node) || ts.isImportDeclaration(one.node)) visit(one);
  return found;
}

/** Returns the names that a statement refers to, without names of properties. */
function usedIn(statement) {
  const names = new Set();
  const first = (name) => (ts.isQualifiedName(name) ? first(name.left) : name.getText());
  const visit = (node) => {
    if (ts.isTypeReferenceNode(node)) names.add(first(node.typeName));
    if (ts.isTypeQueryNode(node)) names.add(first(node.exprName));
    if (ts.isExpressionWithTypeArguments(node)) names.add(node.expression.getText().split('.')[0]);
    if (ts.isExportSpecifier(node)) names.add((node.propertyName ?? node.name).text);
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile('statement.d.ts', statement, ts.ScriptTarget.Latest, true));
  return names;
}
