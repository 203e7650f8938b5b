import { type EditRule, nodeText, removed, replaced, type SourceEdit, type SyntaxNode } from './edits.ts';

/** An operation with two operands. The operator has its own position, because comments may stand next to it. */
export type Operation = {
  readonly left: SyntaxNode;
  readonly right: SyntaxNode;
  readonly operator: { readonly text: string; readonly start: number; readonly end: number };
};

export type Call = { readonly callee: SyntaxNode; readonly args: readonly SyntaxNode[] };

/** An "if" statement with its condition and its blocks. `no` is `null` if there is no "else" with a plain block. */
export type Branch = {
  readonly test: SyntaxNode;
  readonly yes: SyntaxNode;
  readonly no: SyntaxNode | null;
  /** Whether the "if" has no "else" and declares no variable. */
  readonly isGuard: boolean;
};

/**
 * Finds the syntax nodes that the edit rules need in the trees of one language. Each function returns `null` for nodes
 * of another kind.
 */
export type Grammar = {
  /** The node kinds of a name or a member, such as `user` and `user.id`. */
  readonly names: ReadonlySet<string>;
  /** The node kinds of conditions that need no parentheses after a "not". */
  readonly simple: ReadonlySet<string>;
  /** The node kinds of statements that leave a block, such as "return". */
  readonly exits: ReadonlySet<string>;
  /** The text that negates a condition, such as `!`. */
  readonly not: string;
  operation(node: SyntaxNode, source: string): Operation | null;
  call(node: SyntaxNode): Call | null;
  branch(node: SyntaxNode): Branch | null;
  /** Returns the operand of a negation, without its "not". */
  negation(node: SyntaxNode, source: string): SyntaxNode | null;
  /** Returns the operand of an "await", without the keyword. */
  awaited(node: SyntaxNode): SyntaxNode | null;
  /** Returns the end of a slice such as `list[a:b]`, if the slice has no step. */
  sliceEnd(node: SyntaxNode, source: string): SyntaxNode | null;
  /** Returns the statements of a block; none if the node is not a list of statements. */
  statements(block: SyntaxNode): readonly SyntaxNode[];
  /** If the node is a statement that consists of one expression, returns this expression. */
  alone(node: SyntaxNode): SyntaxNode | null;
  /** Returns edits that make the program ignore an error, in the way that is typical of this language. */
  lostErrors(node: SyntaxNode, source: string): readonly SourceEdit[];
};

/** Returns the rules that find possible edits in a language. */
export function editRulesFor(grammar: Grammar): readonly EditRule[] {
  return RULES.map((rule) => (node, source, parents) => rule(grammar, node, source, parents));
}

type Rule = (
  grammar: Grammar,
  node: SyntaxNode,
  source: string,
  parents: readonly SyntaxNode[],
) => readonly SourceEdit[];

const RULES: readonly Rule[] = [
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

const FLIPPED: Readonly<Record<string, string>> = { '<': '<=', '<=': '<', '>': '>=', '>=': '>' };

function boundary(
  grammar: Grammar,
  node: SyntaxNode,
  source: string,
  [parent]: readonly SyntaxNode[],
): readonly SourceEdit[] {
  const operation = grammar.operation(node, source);
  const flippedOperator = FLIPPED[operation?.operator.text ?? ''];
  if (operation === null || flippedOperator === undefined || clamps(grammar, operation, parent, source)) return [];
  if (NOT_LOGIC.test(nodeText(node, source))) return [];
  return [
    {
      ...operation.operator,
      class: 'boundary',
      text: flippedOperator,
      says: `${operation.operator.text} became ${flippedOperator}`,
    },
  ];
}

/**
 * Whether a comparison only chooses one of its operands, as in "if (a > b) return b". If both operands are equal, it
 * does not matter which one is chosen, so replacing ">" with ">=" would plant no bug.
 */
function clamps(grammar: Grammar, { left, right }: Operation, parent: SyntaxNode | undefined, source: string): boolean {
  const body = parent === undefined ? undefined : (grammar.branch(parent)?.yes ?? parent.children[1]);
  const value = body === undefined ? '' : nodeText(body, source).replace(/^[{\s]*(?:return\b|\w+ =)?\s*|[};\s]*$/g, '');
  return value === nodeText(left, source) || value === nodeText(right, source);
}

/**
 * Matches conditions about the type checker, the Python version or how a module was started. Changing such a condition
 * plants no bug that a reviewer should find: it matters only to type checkers, or the program fails at every start.
 */
const NOT_LOGIC = /\bTYPE_CHECKING\b|\bversion_info\b|\b__name__\s*==|\bPY[23]\b/;

function guard(
  grammar: Grammar,
  node: SyntaxNode,
  source: string,
  parents: readonly SyntaxNode[],
): readonly SourceEdit[] {
  const branch = grammar.branch(node);
  if (branch === null || NOT_LOGIC.test(nodeText(branch.test, source))) return [];
  const { test, yes, isGuard } = branch;
  // An inverted condition should look like code that a person wrote: "a >= b" and not "!(a < b)". Harmless edits use
  // "!(a < b)", because "a >= b" has another value for NaN.
  const inverseComparison = withOperator(grammar, test, source, INVERTED);
  const inversion = replaced(
    test,
    inverseComparison ?? negationOf(grammar, test, source),
    'guard',
    'an inverted condition',
  );
  const last = grammar.statements(yes).at(-1) ?? yes;
  const canDrop = isGuard && grammar.exits.has(last.kind) && hasSiblings(grammar, parents);
  return canDrop ? [removed(node, source, 'guard', 'a removed guard'), inversion] : [inversion];
}

/**
 * Whether the statement is in a block with other statements. The only statement of a block cannot be removed: Python
 * allows no empty block, and a loop body without braces has no block.
 */
function hasSiblings(grammar: Grammar, [parent]: readonly SyntaxNode[]): boolean {
  return parent !== undefined && grammar.statements(parent).length > 1;
}

const OPPOSITE: Readonly<Record<string, string>> = {
  ...{ '===': '!==', '!==': '===', '==': '!=', '!=': '==' },
  ...{ is: 'is not', 'is not': 'is', in: 'not in', 'not in': 'in' },
};

const INVERTED: Readonly<Record<string, string>> = { '<': '>=', '<=': '>', '>': '<=', '>=': '<' };

function negationOf(grammar: Grammar, test: SyntaxNode, source: string): string {
  const inner = grammar.negation(test, source);
  if (inner !== null) return nodeText(inner, source);
  const opposite = withOperator(grammar, test, source, OPPOSITE);
  if (opposite !== null) return opposite;
  const text = nodeText(test, source);
  // Python allows "if(a)" without a space, but "not" must not follow "if" directly.
  const space = /\w/.test(source[test.start - 1] ?? '') ? ' ' : '';
  return `${space}${grammar.not}${grammar.simple.has(test.kind) ? text : `(${text})`}`;
}

/**
 * Returns the text of an operation with the operator replaced according to `table`; `null` if the table has no
 * replacement.
 */
function withOperator(
  grammar: Grammar,
  node: SyntaxNode,
  source: string,
  table: Readonly<Record<string, string>>,
): string | null {
  const operator = grammar.operation(node, source)?.operator;
  // JavaScript has an "in" operator, but no "not in", so do not replace operators that are words.
  const isWord = /^\w/.test(operator?.text ?? '') && !grammar.not.startsWith('not');
  const newOperator = isWord ? undefined : table[operator?.text ?? ''];
  if (operator === undefined || newOperator === undefined) return null;
  return source.slice(node.start, operator.start) + newOperator + source.slice(operator.end, node.end);
}

function droppedAwait(
  grammar: Grammar,
  node: SyntaxNode,
  source: string,
  [parent]: readonly SyntaxNode[],
): readonly SourceEdit[] {
  const value = grammar.awaited(node);
  // Without "await", the value of the expression is a promise, and a type checker would notice if that value were used.
  // So remove "await" only from expressions whose value is not used.
  if (value === null || parent === undefined || grammar.alone(parent)?.start !== node.start) return [];
  return [replaced(node, nodeText(value, source), 'await', 'a removed await')];
}

function swallowedError(grammar: Grammar, node: SyntaxNode, source: string): readonly SourceEdit[] {
  return grammar.lostErrors(node, source);
}

// Functions for which the order of arguments does not matter, or for which swapped arguments would fail at once.
const ANY_ORDER =
  /^(?:max|min|print\w*|log|error|warn|info|debug|is|isEqual|equals?|append|isinstance|issubclass|hasattr|getattr|(?:unique|same|distinct|disjoint|overlap|intersect|union|equal|distance|gcd|hypot)\w*)$/i;

function argumentOrder(grammar: Grammar, node: SyntaxNode, source: string): readonly SourceEdit[] {
  const call = grammar.call(node);
  const [first, second, ...otherArgs] = call?.args ?? [];
  if (call === null || first === undefined || second === undefined || otherArgs.length > 2) return [];
  const [a, b] = [nodeText(first, source), nodeText(second, source)];
  if (!grammar.names.has(first.kind) || first.kind !== second.kind || a === b) return [];
  if (ANY_ORDER.test(lastName(call.callee, source))) return [];
  const text = `${b}${source.slice(first.end, second.start)}${a}`;
  return [{ class: 'argument-order', start: first.start, end: second.end, text, says: 'two swapped arguments' }];
}

function lastName(callee: SyntaxNode, source: string): string {
  return /(\w+)$/.exec(nodeText(callee, source))?.[1] ?? '';
}

/**
 * Matches the end of an expression that counts something. Leaving out a "+ 1" or "- 1" after such an expression plants
 * a bug.
 */
const COUNTS =
  /(?:\b|_)(?:len\(.*\)|length|size|count|index|idx|[ijn]|pos(?:ition)?|offset|start|end)(?:\(\))?$|(?:Len(?:gth)?|Size|Count|Index|Pos(?:ition)?|Offset|Start|End)(?:\(\))?$/;

function offByOne(grammar: Grammar, node: SyntaxNode, source: string): readonly SourceEdit[] {
  const end = grammar.sliceEnd(node, source);
  if (end !== null && grammar.names.has(end.kind)) {
    return [replaced(end, `${nodeText(end, source)} - 1`, 'off-by-one', 'a slice that ends too early')];
  }
  const operation = grammar.operation(node, source);
  if (operation === null || !/^[+-]$/.test(operation.operator.text) || nodeText(operation.right, source) !== '1')
    return [];
  const leftOperand = leftText(node, operation, source);
  if (!COUNTS.test(leftOperand)) return [];
  return [replaced(node, leftOperand, 'off-by-one', `a removed "${operation.operator.text} 1"`)];
}

/**
 * Returns the text of the left operand with its parentheses. Not every parser makes the parentheses part of the
 * operand.
 */
function leftText(node: SyntaxNode, { operator }: Operation, source: string): string {
  return source.slice(node.start, operator.start).trimEnd();
}

/**
 * Names of functions that check permissions or input. The rest of the program works without such a call, so removing
 * the call plants a bug. The pattern requires the end of the word: `checkAccess` checks something, `checksum` and
 * `checkout` do not.
 */
const CHECKS_INPUT =
  /^_*(?:(?:[Aa]ssert|[Vv]alidate|[Aa]uthori[sz]e|[Aa]uthenticate|[Vv]erify|[Ss]aniti[sz]e)(?=$|[A-Z_])|(?:[Cc]heck|[Rr]equire|[Gg]uard)(?=[A-Z_])|[Ee]nsure_?(?:[Aa]uth|[Vv]alid|[Aa]llow|[Aa]dmin|[Oo]wner|[Aa]ccess|[Pp]ermi|[Nn]o|[Ii]s|[Hh]as|[Cc]an))/;

/** Names of functions that release a resource. */
const RELEASES =
  /^(?:close|closeSync|end|release|dispose|destroy|unlock|unsubscribe|clearTimeout|clearInterval|removeEventListener|removeListener|off|disconnect|cleanup|clean_up|shutdown|Close|Unlock|RUnlock|Release|Stop|Done|free|rollback|Rollback)$/;

/** Removes a statement that only calls a function which checks input or releases a resource. */
function droppedCall(
  grammar: Grammar,
  node: SyntaxNode,
  source: string,
  parents: readonly SyntaxNode[],
): readonly SourceEdit[] {
  const inner = grammar.alone(node);
  const call = inner === null ? null : grammar.call(grammar.awaited(inner) ?? inner);
  if (call === null || !hasSiblings(grammar, parents)) return [];
  const name = lastName(call.callee, source);
  if (RELEASES.test(name)) return [removed(node, source, 'resource', `a removed call of ${name}`)];
  return CHECKS_INPUT.test(name) ? [removed(node, source, 'validation', `a removed call of ${name}`)] : [];
}

/** Factors that convert units, such as seconds to milliseconds. */
const UNIT_FACTOR = /^(?:1000|1_000|1e3|60|3600|3_600|86400|86_400|24|1024|1_024|100|1000000|1_000_000)$/;

function unit(grammar: Grammar, node: SyntaxNode, source: string): readonly SourceEdit[] {
  const operation = grammar.operation(node, source);
  if (operation === null || !/^[*/]$/.test(operation.operator.text)) return [];
  const [leftOperand, rightOperand] = [leftText(node, operation, source), nodeText(operation.right, source)];
  // Go's "5 * time.Second" becomes "5", which means nanoseconds.
  const isGoUnit = /^time\.(?:Second|Minute|Hour|Millisecond)$/.test(rightOperand);
  if (!isGoUnit && (!UNIT_FACTOR.test(rightOperand) || /^[\d_.]+$/.test(leftOperand))) return [];
  return [replaced(node, leftOperand, 'unit', `a removed factor of ${rightOperand}`)];
}

function trapNegated(
  grammar: Grammar,
  node: SyntaxNode,
  source: string,
  [parent]: readonly SyntaxNode[],
): readonly SourceEdit[] {
  const outer = parent === undefined ? undefined : grammar.operation(parent, source)?.operator.text;
  const isTest = parent !== undefined && grammar.branch(parent)?.test.start === node.start;
  const opposite = isTest || outer === '&&' || outer === '||' ? withOperator(grammar, node, source, OPPOSITE) : null;
  if (opposite === null) return [];
  return [replaced(node, `${grammar.not}(${opposite})`, null, 'a comparison that is negated twice')];
}

function trapSwappedBranches(grammar: Grammar, node: SyntaxNode, source: string): readonly SourceEdit[] {
  const branch = grammar.branch(node);
  if (branch === null || branch.no === null) return [];
  const { test, yes, no } = branch;
  const [head, between] = [source.slice(node.start, test.start), source.slice(test.end, yes.start)];
  const text = [
    ...[head, negationOf(grammar, test, source), between, nodeText(no, source)],
    ...[source.slice(yes.end, no.start), nodeText(yes, source), source.slice(no.end, node.end)],
  ].join('');
  return [replaced(node, text, null, 'an inverted condition with swapped branches')];
}
