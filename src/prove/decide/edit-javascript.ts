import {
  CHECKS_INPUT,
  type EditRule,
  nodeText,
  RELEASES,
  removed,
  replaced,
  type SyntaxNode,
  UNIT_FACTOR,
} from './edits.ts';

const FLIPPED: Readonly<Record<string, string>> = { '<': '<=', '<=': '<', '>': '>=', '>=': '>' };

/** The rules for trees in the ESTree form, as oxc-parser makes them from JavaScript and TypeScript. */
export const JAVASCRIPT_RULES: readonly EditRule[] = [
  boundary,
  guard,
  droppedAwait,
  swallowedError,
  argumentOrder,
  offByOne,
  droppedCall,
  unit,
  trapNegated,
  trapSwappedBranches,
];

function boundary(node: SyntaxNode, source: string): ReturnType<EditRule> {
  const sides = sidesOf(node, source);
  const other = sides === null ? undefined : FLIPPED[sides.operator];
  if (sides === null || other === undefined) return [];
  const text = `${sides.left}${sides.gap.replace(sides.operator, other)}${sides.right}`;
  return [replaced(node, text, 'boundary', `${sides.operator} became ${other}`)];
}

/** The two sides of a binary expression with the text between them. */
function sidesOf(node: SyntaxNode, source: string) {
  if (node.kind !== 'BinaryExpression' && node.kind !== 'LogicalExpression') return null;
  const left = node.field('left');
  const right = node.field('right');
  if (left === null || right === null) return null;
  // The gap can also contain parentheses of the operands; then the operator stands among them.
  const gap = source.slice(left.end, right.start);
  const operator = gap.replace(/[\s()]|\/\*.*?\*\//gs, '');
  return {
    operator,
    gap,
    left: nodeText(left, source),
    right: nodeText(right, source),
    leftNode: left,
    rightNode: right,
  };
}

const EXITS = new Set(['ReturnStatement', 'ThrowStatement', 'ContinueStatement', 'BreakStatement']);

function lastOf(block: SyntaxNode | null): SyntaxNode | null {
  if (block === null) return null;
  return block.kind === 'BlockStatement' ? (block.children.at(-1) ?? null) : block;
}

function guard(node: SyntaxNode, source: string, parents: readonly SyntaxNode[]): ReturnType<EditRule> {
  if (node.kind !== 'IfStatement') return [];
  const test = node.field('test');
  const body = node.field('consequent');
  if (test === null || body === null) return [];
  const exits = EXITS.has(lastOf(body)?.kind ?? '');
  const inverted = replaced(test, negated(test, source), 'guard', 'an inverted condition');
  // An "else if" cannot be removed without its "else".
  const canDrop = exits && node.field('alternate') === null && parents[0]?.kind !== 'IfStatement';
  return canDrop ? [removed(node, source, 'guard', 'a removed guard'), inverted] : [inverted];
}

function negated(test: SyntaxNode, source: string): string {
  const text = nodeText(test, source);
  if (test.kind === 'UnaryExpression' && text.startsWith('!')) return text.slice(1);
  if (test.kind === 'BinaryExpression') {
    const sides = sidesOf(test, source);
    const other = sides === null ? undefined : OPPOSITE[sides.operator];
    if (sides !== null && other !== undefined) {
      return `${sides.left}${sides.gap.replace(sides.operator, other)}${sides.right}`;
    }
  }
  return /^(?:Identifier|MemberExpression|CallExpression)$/.test(test.kind) ? `!${text}` : `!(${text})`;
}

const OPPOSITE: Readonly<Record<string, string>> = { '===': '!==', '!==': '===', '==': '!=', '!=': '==' };

function droppedAwait(node: SyntaxNode, source: string, parents: readonly SyntaxNode[]): ReturnType<EditRule> {
  const argument = node.kind === 'AwaitExpression' ? node.field('argument') : null;
  // Without "await", the value of a call is a promise, which a type checker sees. A statement has no value.
  if (argument === null || parents[0]?.kind !== 'ExpressionStatement') return [];
  return [replaced(node, nodeText(argument, source), 'await', 'a removed await')];
}

function swallowedError(node: SyntaxNode, source: string): ReturnType<EditRule> {
  if (node.kind !== 'CatchClause') return [];
  const body = node.field('body');
  const raised = body?.children.find(({ kind }) => kind === 'ThrowStatement');
  return raised === undefined ? [] : [removed(raised, source, 'swallowed-error', 'an error that is no longer thrown')];
}

const PLAIN = new Set(['Identifier', 'MemberExpression']);

function argumentOrder(node: SyntaxNode, source: string): ReturnType<EditRule> {
  if (node.kind !== 'CallExpression' && node.kind !== 'NewExpression') return [];
  const callee = node.field('callee');
  const [first, second, ...more] = node.children.filter((child) => child.start >= (callee?.end ?? 0));
  if (first === undefined || second === undefined || more.length > 2) return [];
  if (!PLAIN.has(first.kind) || first.kind !== second.kind) return [];
  const [a, b] = [nodeText(first, source), nodeText(second, source)];
  // The order does not matter for some well-known functions.
  if (
    a === b ||
    /(?:^|\.)(?:max|min|log|error|warn|info|debug|is|isEqual|equal)$/i.test(nodeText(callee ?? node, source))
  )
    return [];
  const text = `${b}${source.slice(first.end, second.start)}${a}`;
  return [{ class: 'argument-order', start: first.start, end: second.end, text, says: 'two swapped arguments' }];
}

function offByOne(node: SyntaxNode, source: string): ReturnType<EditRule> {
  const sides = sidesOf(node, source);
  if (
    sides !== null &&
    sides.right === '1' &&
    /^[+-]$/.test(sides.operator) &&
    /length|size|count|index|\bi\b|\bj\b|pos|offset|start|end/i.test(sides.left)
  ) {
    return [replaced(node, sides.left, 'off-by-one', `a removed "${sides.operator} 1"`)];
  }
  if (node.kind !== 'CallExpression') return [];
  const callee = node.field('callee');
  if (callee === null || !/\.(?:slice|substring|subarray)$/.test(nodeText(callee, source))) return [];
  const end = node.children.filter((child) => child.start >= callee.end)[1];
  if (end === undefined || !/^(?:Identifier|MemberExpression)$/.test(end.kind)) return [];
  return [replaced(end, `${nodeText(end, source)} - 1`, 'off-by-one', 'a slice that ends too early')];
}

/** Removes a call that is a statement of its own and that checks input or releases something. */
function droppedCall(node: SyntaxNode, source: string, parents: readonly SyntaxNode[]): ReturnType<EditRule> {
  const holder = parents[0]?.kind ?? '';
  if (node.kind !== 'ExpressionStatement' || !/^(?:BlockStatement|FunctionBody|Program|StaticBlock)$/.test(holder))
    return [];
  const [inner] = node.children;
  const call = inner?.kind === 'AwaitExpression' ? inner.field('argument') : inner;
  const callee = call?.kind === 'CallExpression' ? call.field('callee') : null;
  if (callee === null || callee === undefined) return [];
  const name = /(\w+)$/.exec(nodeText(callee, source))?.[1] ?? '';
  if (RELEASES.test(name)) return [removed(node, source, 'resource', `a removed call of ${name}`)];
  return CHECKS_INPUT.test(name) ? [removed(node, source, 'validation', `a removed call of ${name}`)] : [];
}

function unit(node: SyntaxNode, source: string): ReturnType<EditRule> {
  const sides = sidesOf(node, source);
  if (sides === null || !/^[*/]$/.test(sides.operator)) return [];
  if (UNIT_FACTOR.test(sides.right) && !/^[\d_.]+$/.test(sides.left)) {
    return [replaced(node, sides.left, 'unit', `a removed factor of ${sides.right}`)];
  }
  return [];
}

function trapNegated(node: SyntaxNode, source: string, parents: readonly SyntaxNode[]): ReturnType<EditRule> {
  const sides = sidesOf(node, source);
  const other = sides === null ? undefined : OPPOSITE[sides.operator];
  const isTest = parents[0]?.kind === 'IfStatement' || parents[0]?.kind === 'LogicalExpression';
  if (sides === null || other === undefined || !isTest) return [];
  const text = `!(${sides.left}${sides.gap.replace(sides.operator, other)}${sides.right})`;
  return [replaced(node, text, null, 'a comparison that is negated twice')];
}

function trapSwappedBranches(node: SyntaxNode, source: string): ReturnType<EditRule> {
  if (node.kind !== 'IfStatement') return [];
  const [test, yes, no] = [node.field('test'), node.field('consequent'), node.field('alternate')];
  if (test === null || yes?.kind !== 'BlockStatement' || no?.kind !== 'BlockStatement') return [];
  const [head, between] = [source.slice(node.start, test.start), source.slice(test.end, yes.start)];
  const middle = source.slice(yes.end, no.start);
  const text = `${head}${negated(test, source)}${between}${nodeText(no, source)}${middle}${nodeText(yes, source)}`;
  return [replaced(node, text, null, 'an inverted condition with swapped branches')];
}
