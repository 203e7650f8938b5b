import type { Branch, Call, Grammar, Operation } from './edit-rules.ts';
import { nodeText, removed, type SourceEdit, type SyntaxNode } from './edits.ts';

/** Finds nodes in syntax trees of JavaScript and TypeScript, in the ESTree form that oxc-parser produces. */
export const JAVASCRIPT: Grammar = {
  names: new Set(['Identifier', 'MemberExpression']),
  simple: new Set(['Identifier', 'MemberExpression', 'CallExpression']),
  exits: new Set(['ReturnStatement', 'ThrowStatement', 'ContinueStatement', 'BreakStatement']),
  not: '!',
  operation,
  call,
  branch,
  negation: (node, source) =>
    node.kind === 'UnaryExpression' && source[node.start] === '!' ? node.field('argument') : null,
  awaited: (node) => (node.kind === 'AwaitExpression' ? node.field('argument') : null),
  sliceEnd,
  statements: (block) => (LISTS.has(block.kind) ? block.children : []),
  alone: (node) => (node.kind === 'ExpressionStatement' ? node.field('expression') : null),
  lostErrors,
};

const LISTS = new Set(['BlockStatement', 'FunctionBody', 'Program', 'StaticBlock', 'SwitchCase']);

// Finds the operator in the text between two operands, where comments and parentheses may also stand.
const OPERATOR =
  /^(?:[\s()]|\/\*.*?\*\/|\/\/[^\n]*)*(===|!==|==|!=|<<|>>>|>>|<=|>=|<|>|\*\*|[-+*/%&|^]{1,2}|\?\?|instanceof|in)/s;

function operation(node: SyntaxNode, source: string): Operation | null {
  if (node.kind !== 'BinaryExpression' && node.kind !== 'LogicalExpression') return null;
  const [leftOperand, rightOperand] = [node.field('left'), node.field('right')];
  if (leftOperand === null || rightOperand === null) return null;
  const [wholeMatch = '', text = ''] = OPERATOR.exec(source.slice(leftOperand.end, rightOperand.start)) ?? [];
  const end = leftOperand.end + wholeMatch.length;
  return text === ''
    ? null
    : { left: leftOperand, right: rightOperand, operator: { text, start: end - text.length, end } };
}

function call(node: SyntaxNode): Call | null {
  const callee = /^(?:Call|New)Expression$/.test(node.kind) ? node.field('callee') : null;
  if (callee === null) return null;
  const args = node.children.filter(({ kind, start }) => start >= callee.end && !kind.startsWith('TS'));
  return { callee, args };
}

function branch(node: SyntaxNode): Branch | null {
  if (node.kind !== 'IfStatement') return null;
  const [test, yes, no] = [node.field('test'), node.field('consequent'), node.field('alternate')];
  if (test === null || yes === null) return null;
  const areBlocks = yes.kind === 'BlockStatement' && no?.kind === 'BlockStatement';
  return { test, yes, no: areBlocks ? no : null, isGuard: no === null };
}

function sliceEnd(node: SyntaxNode, source: string): SyntaxNode | null {
  const sliceCall = node.kind === 'CallExpression' ? call(node) : null;
  if (sliceCall === null || !/\.(?:slice|substring|subarray)$/.test(nodeText(sliceCall.callee, source))) return null;
  return sliceCall.args[1] ?? null;
}

function lostErrors(node: SyntaxNode, source: string): readonly SourceEdit[] {
  const body = node.kind === 'CatchClause' ? node.field('body') : null;
  const throwStatement = body?.children.find(({ kind }) => kind === 'ThrowStatement');
  return throwStatement === undefined
    ? []
    : [removed(throwStatement, source, 'swallowed-error', 'an error that is no longer thrown')];
}
