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

/**
 * The rules for trees of tree-sitter grammars. Python and Go name their nodes differently; the other C-like grammars use
 * mostly the names of Go.
 */
export const TREE_SITTER_RULES: readonly EditRule[] = [
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

const BINARY = new Set(['binary_expression', 'binary_operator', 'comparison_operator']);

function sidesOf(node: SyntaxNode, source: string) {
  if (!BINARY.has(node.kind)) return null;
  const named = node.children.filter(({ kind }) => /^\w/.test(kind) && kind !== 'comment' && !WORD_OPERATOR.has(kind));
  const [left, right, more] = named;
  if (left === undefined || right === undefined || more !== undefined) return null;
  const gap = source.slice(left.end, right.start);
  return { left: nodeText(left, source), right: nodeText(right, source), gap, operator: gap.trim(), rightNode: right };
}

const WORD_OPERATOR = new Set(['in', 'is', 'not', 'and', 'or', 'not in', 'is not']);

const FLIPPED: Readonly<Record<string, string>> = { '<': '<=', '<=': '<', '>': '>=', '>=': '>' };

const OPPOSITE: Readonly<Record<string, string>> = {
  '==': '!=',
  '!=': '==',
  is: 'is not',
  'is not': 'is',
  in: 'not in',
  'not in': 'in',
};

function boundary(node: SyntaxNode, source: string): ReturnType<EditRule> {
  const sides = sidesOf(node, source);
  const other = sides === null ? undefined : FLIPPED[sides.operator];
  if (sides === null || other === undefined) return [];
  const text = `${sides.left}${sides.gap.replace(sides.operator, other)}${sides.right}`;
  return [replaced(node, text, 'boundary', `${sides.operator} became ${other}`)];
}

const EXITS =
  /^(?:return_statement|raise_statement|throw_statement|continue_statement|break_statement|return_expression)$/;

/** Returns the statements of a block, with and without a node for the list of statements. */
function statementsOf(block: SyntaxNode | null): readonly SyntaxNode[] {
  const own = (block?.children ?? []).filter(({ kind }) => /^\w/.test(kind) && kind !== 'comment');
  const [only] = own;
  return own.length === 1 && only?.kind === 'statement_list' ? statementsOf(only) : own;
}

function guard(node: SyntaxNode, source: string, parents: readonly SyntaxNode[]): ReturnType<EditRule> {
  if (node.kind !== 'if_statement') return [];
  const test = node.field('condition');
  const body = node.field('consequence');
  if (test === null || body === null) return [];
  const inverted = replaced(test, negated(test, source), 'guard', 'an inverted condition');
  const statements = statementsOf(body);
  const exits = EXITS.test(statements.at(-1)?.kind ?? '');
  const hasElse = node.field('alternative') !== null;
  // An "if x := f(); x != nil" of Go also declares x, and the only statement of a Python block cannot be removed.
  const isOnly = statementsOf(parents[0] ?? null).length < 2;
  const canDrop =
    exits && !hasElse && !isOnly && node.field('initializer') === null && parents[0]?.kind !== 'if_statement';
  return canDrop ? [removed(node, source, 'guard', 'a removed guard'), inverted] : [inverted];
}

function negated(test: SyntaxNode, source: string): string {
  const text = nodeText(test, source);
  const sides = sidesOf(test, source);
  const other = sides === null ? undefined : OPPOSITE[sides.operator];
  if (sides !== null && other !== undefined)
    return `${sides.left}${sides.gap.replace(sides.operator, other)}${sides.right}`;
  if (test.kind === 'not_operator') return text.replace(/^not\s+/, '');
  if (test.kind === 'unary_expression' && text.startsWith('!')) return text.slice(1);
  if (isPython(source, test))
    return /^(?:identifier|attribute|call)$/.test(test.kind) ? `not ${text}` : `not (${text})`;
  if (test.kind === 'parenthesized_expression') return `(!${text})`;
  return /^(?:identifier|selector_expression|call_expression)$/.test(test.kind) ? `!${text}` : `!(${text})`;
}

/** Whether the text after a condition is that of Python, which ends the condition with a colon. */
function isPython(source: string, test: SyntaxNode): boolean {
  return /^\s*:/.test(source.slice(test.end, test.end + 20)) || test.kind === 'boolean_operator';
}

function droppedAwait(node: SyntaxNode, source: string, parents: readonly SyntaxNode[]): ReturnType<EditRule> {
  if (node.kind !== 'await' || parents[0]?.kind !== 'expression_statement') return [];
  return [replaced(node, nodeText(node, source).replace(/^await\s+/, ''), 'await', 'a removed await')];
}

function swallowedError(node: SyntaxNode, source: string): ReturnType<EditRule> {
  if (node.kind === 'except_clause') {
    const raised = statementsOf(node.children.find(({ kind }) => kind === 'block') ?? null).find(
      ({ kind }) => kind === 'raise_statement',
    );
    return raised === undefined
      ? []
      : [replaced(raised, 'pass', 'swallowed-error', 'an error that is no longer raised')];
  }
  // Go: "return x, err" in "if err != nil" becomes "return x, nil".
  if (node.kind !== 'if_statement' || !/^err\w* != nil$/.test(nodeText(node.field('condition') ?? node, source)))
    return [];
  const last = statementsOf(node.field('consequence')).at(-1);
  const values =
    last?.kind === 'return_statement' ? last.children.find(({ kind }) => kind === 'expression_list') : undefined;
  const error = values?.children.filter(({ kind }) => /^\w/.test(kind)).at(-1);
  if (error === undefined || !/\berr\w*\b/.test(nodeText(error, source))) return [];
  return [replaced(error, 'nil', 'swallowed-error', 'an error that is no longer returned')];
}

const CALLS = new Set(['call', 'call_expression']);
const PLAIN = new Set(['identifier', 'selector_expression', 'attribute']);

function calleeName(call: SyntaxNode, source: string): string {
  const callee = call.field('function') ?? call.children[0];
  return callee === undefined ? '' : (/(\w+)$/.exec(nodeText(callee, source))?.[1] ?? '');
}

function argumentOrder(node: SyntaxNode, source: string): ReturnType<EditRule> {
  const list = CALLS.has(node.kind) ? node.field('arguments') : null;
  const [first, second, ...more] = (list?.children ?? []).filter(({ kind }) => /^\w/.test(kind) && kind !== 'comment');
  if (first === undefined || second === undefined || more.length > 2) return [];
  const [a, b] = [nodeText(first, source), nodeText(second, source)];
  if (!PLAIN.has(first.kind) || first.kind !== second.kind || a === b) return [];
  if (
    /^(?:max|min|print|println|printf|log|append|isinstance|hasattr|getattr|Equal|Max|Min)$/.test(
      calleeName(node, source),
    )
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
    /len|size|count|index|\bi\b|\bj\b|\bn\b|pos|offset|start|end/i.test(sides.left)
  ) {
    return [replaced(node, sides.left, 'off-by-one', `a removed "${sides.operator} 1"`)];
  }
  if (node.kind !== 'slice' && node.kind !== 'slice_expression') return [];
  const end = node.kind === 'slice' ? node.children.at(-1) : node.field('end');
  if (end === null || end === undefined || !PLAIN.has(end.kind) || !source.slice(node.start, end.start).includes(':'))
    return [];
  return [replaced(end, `${nodeText(end, source)} - 1`, 'off-by-one', 'a slice that ends too early')];
}

/** Removes a call that is a statement of its own, or a deferred one, and that checks input or releases something. */
function droppedCall(node: SyntaxNode, source: string, parents: readonly SyntaxNode[]): ReturnType<EditRule> {
  const isStatement = node.kind === 'expression_statement' || node.kind === 'defer_statement';
  if (!isStatement || statementsOf(parents[0] ?? null).length < 2) return [];
  const inner = node.children.find(({ kind }) => CALLS.has(kind) || kind === 'await');
  const call = inner?.kind === 'await' ? inner.children.find(({ kind }) => CALLS.has(kind)) : inner;
  if (call === undefined) return [];
  const name = calleeName(call, source);
  if (RELEASES.test(name)) return [removed(node, source, 'resource', `a removed call of ${name}`)];
  return CHECKS_INPUT.test(name) ? [removed(node, source, 'validation', `a removed call of ${name}`)] : [];
}

function unit(node: SyntaxNode, source: string): ReturnType<EditRule> {
  const sides = sidesOf(node, source);
  if (sides === null || !/^[*/]$/.test(sides.operator)) return [];
  const { left, right } = sides;
  // "5 * time.Second" of Go becomes "5", which are nanoseconds.
  const isGoUnit = /^time\.(?:Second|Minute|Hour|Millisecond)$/.test(right);
  if (!isGoUnit && (!UNIT_FACTOR.test(right) || /^[\d_.]+$/.test(left))) return [];
  return [replaced(node, left, 'unit', `a removed factor of ${right}`)];
}

function trapNegated(node: SyntaxNode, source: string, parents: readonly SyntaxNode[]): ReturnType<EditRule> {
  const sides = sidesOf(node, source);
  const other = sides === null ? undefined : OPPOSITE[sides.operator];
  const isTest = parents[0]?.kind === 'if_statement' && parents[0].field('condition')?.start === node.start;
  if (sides === null || other === undefined || !isTest) return [];
  const inner = `${sides.left}${sides.gap.replace(sides.operator, other)}${sides.right}`;
  return [
    replaced(
      node,
      isPython(source, node) ? `not (${inner})` : `!(${inner})`,
      null,
      'a comparison that is negated twice',
    ),
  ];
}

function trapSwappedBranches(node: SyntaxNode, source: string): ReturnType<EditRule> {
  if (node.kind !== 'if_statement') return [];
  const [test, yes, other] = [node.field('condition'), node.field('consequence'), node.field('alternative')];
  // Python has a node for "else:", Go has the block itself.
  const no = other?.kind === 'else_clause' ? other.field('body') : other;
  const isPlain =
    yes?.kind === 'block' && no?.kind === 'block' && !node.children.some(({ kind }) => kind === 'elif_clause');
  if (test === null || !isPlain) return [];
  const [head, between] = [source.slice(node.start, test.start), source.slice(test.end, yes.start)];
  const middle = source.slice(yes.end, no.start);
  const text = `${head}${negated(test, source)}${between}${nodeText(no, source)}${middle}${nodeText(yes, source)}${source.slice(no.end, node.end)}`;
  return [replaced(node, text, null, 'an inverted condition with swapped branches')];
}
