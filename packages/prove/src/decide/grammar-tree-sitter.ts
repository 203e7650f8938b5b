import type { Branch, Call, Grammar, Operation } from './edit-rules.ts';
import { nodeText, removed, replaced, type SourceEdit, type SyntaxNode } from './edits.ts';

/** The functions that work for the trees of Python and of Go. */
const SHARED = { operation, call, branch, statements } as const;

export const PYTHON: Grammar = {
  ...SHARED,
  names: new Set(['identifier', 'attribute']),
  simple: new Set(['identifier', 'attribute', 'call', 'parenthesized_expression']),
  exits: new Set(['return_statement', 'raise_statement', 'continue_statement', 'break_statement']),
  not: 'not ',
  negation: (node) => (node.kind === 'not_operator' ? node.field('argument') : null),
  awaited: (node) => (node.kind === 'await' ? (namedChildren(node).at(-1) ?? null) : null),
  sliceEnd(node) {
    if (node.kind !== 'slice') return null;
    const parts = node.children.filter(({ kind }) => kind !== 'comment');
    const colons = parts.filter(({ kind }) => kind === ':');
    const [colon] = colons;
    if (colon === undefined || colons.length > 1) return null;
    return parts[parts.indexOf(colon) + 1] ?? null;
  },
  alone: (node) => (node.kind === 'expression_statement' ? onlyOne(namedChildren(node)) : null),
  lostErrors(node, source) {
    if (node.kind !== 'except_clause') return [];
    const list = statements(node.children.find(({ kind }) => kind === 'block') ?? node);
    const raiseStatement = list.find(({ kind }) => kind === 'raise_statement');
    if (raiseStatement === undefined) return [];
    const says = 'an error that is no longer raised';
    // A block in Python must contain a statement, so replace the only statement with "pass".
    return list.length > 1
      ? [removed(raiseStatement, source, 'swallowed-error', says)]
      : [replaced(raiseStatement, 'pass', 'swallowed-error', says)];
  },
};

export const GO: Grammar = {
  ...SHARED,
  names: new Set(['identifier', 'selector_expression']),
  simple: new Set(['identifier', 'selector_expression', 'call_expression', 'parenthesized_expression']),
  exits: new Set(['return_statement', 'continue_statement', 'break_statement']),
  not: '!',
  negation: (node, source) =>
    node.kind === 'unary_expression' && source[node.start] === '!' ? node.field('operand') : null,
  awaited: () => null,
  sliceEnd: (node) => (node.kind === 'slice_expression' && node.field('capacity') === null ? node.field('end') : null),
  alone: (node) =>
    node.kind === 'expression_statement' || node.kind === 'defer_statement' ? onlyOne(namedChildren(node)) : null,
  lostErrors: lostGoErrors,
};

/** Returns the child nodes that are not punctuation, keywords or comments. */
function namedChildren(node: SyntaxNode): readonly SyntaxNode[] {
  return node.children.filter(
    ({ kind, children }) =>
      /^[a-z]\w+$/.test(kind) && kind !== 'comment' && (children.length > 0 || !KEYWORDS.has(kind)),
  );
}

// In these trees, the keyword "await" and the expression with it have the same node kind. Only the keyword has no
// children.
const KEYWORDS = new Set(['await', 'defer']);

function onlyOne(nodes: readonly SyntaxNode[]): SyntaxNode | null {
  return nodes.length === 1 ? (nodes[0] ?? null) : null;
}

const BINARY = new Set(['binary_expression', 'binary_operator', 'comparison_operator']);

function operation(node: SyntaxNode, source: string): Operation | null {
  if (!BINARY.has(node.kind)) return null;
  const parts = node.children.filter(({ kind }) => kind !== 'comment');
  const [leftOperand, sign, rightOperand] = parts;
  // A chained comparison of Python, such as "a < b < c", has more than three parts, so it is not an operation with two
  // operands.
  if (leftOperand === undefined || sign === undefined || rightOperand === undefined || parts.length > 3) return null;
  const text = nodeText(sign, source).replace(/\s+/g, ' ');
  return { left: leftOperand, right: rightOperand, operator: { text, start: sign.start, end: sign.end } };
}

function call(node: SyntaxNode): Call | null {
  const list = /^call(?:_expression)?$/.test(node.kind) ? node.field('arguments') : null;
  const callee = node.field('function');
  return list === null || callee === null ? null : { callee, args: namedChildren(list) };
}

function branch(node: SyntaxNode): Branch | null {
  if (node.kind !== 'if_statement') return null;
  const [test, yes, alternative] = [node.field('condition'), node.field('consequence'), node.field('alternative')];
  if (test === null || yes === null) return null;
  // Python has a node for the "else:" clause; in Go, the block follows directly.
  const block = alternative?.kind === 'else_clause' ? alternative.field('body') : alternative;
  const isPlain = block?.kind === 'block' && !node.children.some(({ kind }) => kind === 'elif_clause');
  // Go's "if x := f(); x != nil" also declares the variable x.
  const isGuard = alternative === null && node.field('initializer') === null;
  return { test, yes, no: isPlain ? block : null, isGuard };
}

const LISTS = /^(?:block|module|statement_list|source_file|\w+_case)$/;

function statements(block: SyntaxNode): readonly SyntaxNode[] {
  if (!LISTS.test(block.kind)) return [];
  const children = namedChildren(block);
  const [only] = children;
  // In newer Go grammars, the block contains one node that lists the statements.
  return children.length === 1 && only?.kind === 'statement_list' ? statements(only) : children;
}

/** For Go, turns "return x, err" inside "if err != nil" into "return x, nil". */
function lostGoErrors(node: SyntaxNode, source: string): readonly SourceEdit[] {
  const ifBranch = branch(node);
  if (ifBranch === null || !/^err\w* != nil$/.test(nodeText(ifBranch.test, source))) return [];
  const last = statements(ifBranch.yes).at(-1);
  const values =
    last?.kind === 'return_statement' ? last.children.find(({ kind }) => kind === 'expression_list') : undefined;
  const error = values === undefined ? undefined : namedChildren(values).at(-1);
  if (error === undefined || !/\berr\w*\b/.test(nodeText(error, source))) return [];
  return [replaced(error, 'nil', 'swallowed-error', 'an error that is no longer returned')];
}
