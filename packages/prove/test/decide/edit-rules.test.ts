import { describe, expect, test } from 'vitest';
import { editRulesFor } from '../../src/decide/edit-rules.ts';
import {
  applyEdit,
  applyEdits,
  type EditRule,
  findEdits,
  lineAt,
  removed,
  type SourceEdit,
  type SyntaxNode,
} from '../../src/decide/edits.ts';
import { JAVASCRIPT } from '../../src/decide/grammar-estree.ts';
import { PYTHON } from '../../src/decide/grammar-tree-sitter.ts';
import { loadParsers } from '../../src/read/parsers.ts';

const parsers = loadParsers(import.meta.dirname);
const JAVASCRIPT_RULES = editRulesFor(JAVASCRIPT);
const TREE_SITTER_RULES = editRulesFor(PYTHON);

type Row = readonly [title: string, kind: string | null, source: string, texts: readonly string[]];

/** Returns the whole text after each edit of a class. Every such text must parse. */
function textsAfter(path: string, source: string, kind: string | null): readonly string[] {
  const parser = parsers.parserFor(path);
  const edits = (parser?.edits(path, source) ?? []).filter((edit) => edit.class === kind);
  return edits.map((edit) => {
    const text = applyEdit(source, edit);
    expect({ text, parses: parser?.parses(path, text) }).toEqual({ text, parses: true });
    return text;
  });
}

describe('JavaScript', () => {
  test.each<Row>([
    ['a "!" is removed', 'guard', 'if (!a) b();', ['if (a) b();']],
    ['a guard without a statement in it is only inverted', 'guard', 'if (a) {}', ['if (!a) {}']],
    ['a condition with "<" gets the opposite operator', 'guard', 'if (a < b) c();', ['if (a >= b) c();']],
    ['a condition with "&&" is negated as a whole', 'guard', 'if (a && b) c();', ['if (!(a && b)) c();']],
    ['a call as the condition needs no parentheses', 'guard', 'if (a.b()) c();', ['if (!a.b()) c();']],
    [
      'a removed guard next to other code keeps that code',
      'guard',
      'while (a) { if (b) break; c(); }',
      ['while (a) {  c(); }', 'while (a) { if (!b) break; c(); }'],
    ],
    [
      'a guard with an "else" is only inverted',
      'guard',
      'while (a) if (b) break; else c();',
      ['while (a) if (!b) break; else c();'],
    ],
    [
      'a guard that is the whole body of a loop is only inverted',
      'guard',
      'while (a) if (b) break;\nc();',
      ['while (a) if (!b) break;\nc();'],
    ],
    [
      'a guard that is alone in its block is only inverted',
      'guard',
      'for (;;) { if (b) break; }',
      ['for (;;) { if (!b) break; }'],
    ],
    ['the operator is changed, not a comment', 'boundary', 'f(a /* < */ < b);', ['f(a /* < */ <= b);']],
    [
      'a limit stays, because both sides are equal there',
      'boundary',
      '() => {\n  if (a > b) {\n    return b;\n  }\n};',
      [],
    ],
    ['a limit by "=" stays', 'boundary', 'if (a > b) a = b;', []],
    ['a limit by "?:" stays', 'boundary', 'f(a > b ? a : b);', []],
    ['another value is not a limit', 'boundary', 'if (a > b) a = c;', ['if (a >= b) a = c;']],
    ['a comment after the operator stays', 'boundary', 'f(a</* < */b);', ['f(a<=/* < */b);']],
    ['a comment up to the end of the line stays', 'boundary', 'f(a // <\n < b);', ['f(a // <\n <= b);']],
    ['"in" has no opposite', 'guard', 'if (a in b) c();', ['if (!(a in b)) c();']],
    ['a call that only sounds like a check stays', 'validation', 'checkout(a);\nwork();\n', []],
    ['a call that loads a module stays', 'validation', 'require(a);\nwork();\n', []],
    ['parentheses of a converted sum stay', 'unit', 'f(a - (b + c) * 60);', ['f(a - (b + c));']],
    ['a name that only ends like a count stays', 'off-by-one', 'f(append + 1);', []],
    ['an "await" whose value is used stays', 'await', 'const a = await b();', []],
    ['a "catch" without "throw" stays', 'swallowed-error', 'try { a(); } catch (e) { log(e); }', []],
    ['a "try" without "catch" stays', 'swallowed-error', 'try { a(); } finally { b(); }', []],
    ['the arguments of "new" are swapped', 'argument-order', 'new Range(from, to);', ['new Range(to, from);']],
    ['members as arguments are swapped', 'argument-order', 'f(a.x, a.y, 1);', ['f(a.y, a.x, 1);']],
    ['arguments of different kinds stay', 'argument-order', 'f(a, b.c);', []],
    ['literals as arguments stay', 'argument-order', 'f(1, 2);', []],
    ['equal arguments stay', 'argument-order', 'f(a, a);', []],
    ['one argument stays', 'argument-order', 'f(a);', []],
    ['five arguments stay', 'argument-order', 'f(a, b, c, d, e);', []],
    ['the arguments of a logger stay', 'argument-order', 'console.log(a, b);', []],
    ['an index without its "+ 1"', 'off-by-one', 'f(index + 1);', ['f(index);']],
    ['another name with "+ 1" stays', 'off-by-one', 'f(price + 1);', []],
    ['a slice with one argument stays', 'off-by-one', 'text.slice(from);', []],
    ['a slice that ends at a literal stays', 'off-by-one', 'text.slice(from, 3);', []],
    ['another method stays', 'off-by-one', 'text.splice(from, to);', []],
    ['an awaited call that releases', 'resource', '{\n  a();\n  await db.close();\n}', ['{\n  a();\n}']],
    ['a call whose callee has no name stays', 'resource', '{ a[0](); (() => 1)(); }', []],
    ['a statement that is not a call stays', 'resource', '{ a = close; }', []],
    ['a call that is the body of an "if" stays', 'resource', 'if (a) close();', []],
    ['a call that neither checks nor releases stays', 'validation', 'work(a);', []],
    ['a check at the top of the file', 'validation', 'assert(a);\nwork();\n', ['work();\n']],
    ['a division by a factor', 'unit', 'f(ms / 1000);', ['f(ms);']],
    ['a product of two numbers stays', 'unit', 'f(60 * 60);', []],
    ['a factor that is not a unit stays', 'unit', 'f(a * 7);', []],
    ['a comparison in "&&" is negated twice', null, 'f(a === b && c);', ['f(!(a !== b) && c);']],
    ['a comparison that is an argument stays', null, 'f(a === b);', []],
    ['branches are swapped', null, 'if (a) {\n  b();\n} else {\n  c();\n}', ['if (!a) {\n  c();\n} else {\n  b();\n}']],
    ['branches without braces stay', null, 'if (a) b(); else c();', []],
    ['an "else if" stays', null, 'if (a) {\n} else if (b) {\n}', []],
  ])('%s', (_title, kind, source, texts) => {
    expect(textsAfter('a.mjs', source, kind)).toEqual(texts);
  });
});

describe('Python', () => {
  test.each<Row>([
    ['a chain of comparisons stays', 'boundary', 'x = a < b < c\n', []],
    ['"not" is removed', 'guard', 'if not a:\n    b()\n', ['if a:\n    b()\n']],
    ['"not" without a space is removed', 'guard', 'if not(a):\n    b()\n', ['if (a):\n    b()\n']],
    ['"if" without a space gets one', 'guard', 'if(a):\n    b()\n', ['if not (a):\n    b()\n']],
    ['a comment in a comparison stays', 'boundary', 'x = (a # <\n  < b)\n', ['x = (a # <\n  <= b)\n']],
    ['a limit stays', 'boundary', 'if a < b:\n    a = b\n', []],
    ['a slice with a step stays', 'off-by-one', 'x = a[b:c:d]\n', []],
    ['a call that only sounds like a check stays', 'validation', 'def f(a):\n    checksum(a)\n    return a\n', []],
    [
      'a check in snake case',
      'validation',
      'def f(a):\n    check_access(a)\n    return a\n',
      ['def f(a):\n    return a\n'],
    ],
    [
      'a "raise" after other statements leaves no "pass"',
      'swallowed-error',
      'try:\n    a()\nexcept ValueError:\n    log()\n    raise\n',
      ['try:\n    a()\nexcept ValueError:\n    log()\n'],
    ],
    ['"and" is negated as a whole', 'guard', 'if a and b:\n    c()\n', ['if not (a and b):\n    c()\n']],
    ['a comparison with "<" gets the opposite operator', 'guard', 'if a < b:\n    c()\n', ['if a >= b:\n    c()\n']],
    ['"in" becomes "not in"', 'guard', 'if a in b:\n    c()\n', ['if a not in b:\n    c()\n']],
    [
      'the only statement of a block is only inverted',
      'guard',
      'def f(a):\n    if a:\n        return 1\n',
      ['def f(a):\n    if not a:\n        return 1\n'],
    ],
    ['an "await" whose value is used stays', 'await', 'async def f():\n    return await a()\n', []],
    ['an "except" without "raise" stays', 'swallowed-error', 'try:\n    a()\nexcept ValueError:\n    b()\n', []],
    ['arguments of different kinds stay', 'argument-order', 'f(a, b.c)\n', []],
    ['equal arguments stay', 'argument-order', 'f(a, a)\n', []],
    ['the arguments of "isinstance" stay', 'argument-order', 'isinstance(a, b)\n', []],
    ['attributes as arguments are swapped', 'argument-order', 'f(a.x, a.y)\n', ['f(a.y, a.x)\n']],
    ['the arguments of a callee without a name are swapped', 'argument-order', 'a[0](b, c)\n', ['a[0](c, b)\n']],
    ['a length without its "- 1"', 'off-by-one', 'x = len(a) - 1\n', ['x = len(a)\n']],
    ['another name with "- 1" stays', 'off-by-one', 'x = price - 1\n', []],
    ['another operator with 1 stays', 'off-by-one', 'x = size * 1\n', []],
    ['a slice without an end stays', 'off-by-one', 'x = a[b:]\n', []],
    ['a slice that ends at a literal stays', 'off-by-one', 'x = a[b:3]\n', []],
    [
      'a call that checks input',
      'validation',
      'def f(a):\n    validate(a)\n    return a\n',
      ['def f(a):\n    return a\n'],
    ],
    [
      'an awaited call that releases',
      'resource',
      'async def f():\n    a()\n    await b.close()\n',
      ['async def f():\n    a()\n'],
    ],
    ['the only call of a block stays', 'resource', 'def f():\n    a.close()\n', []],
    ['a statement that is not a call stays', 'resource', 'a = 1\nclose\n', []],
    ['an awaited name stays', 'resource', 'async def f():\n    a()\n    await close\n', []],
    ['a product of two numbers stays', 'unit', 'x = 60 * 60\n', []],
    ['a factor that is not a unit stays', 'unit', 'x = a * 7\n', []],
    ['an "elif" keeps the branches', null, 'if a:\n    b()\nelif c:\n    d()\nelse:\n    e()\n', []],
    ['a comparison outside a condition stays', null, 'x = a == b\n', []],
    ['branches are swapped', null, 'if not a:\n    b()\nelse:\n    c()\n', ['if a:\n    c()\nelse:\n    b()\n']],
  ])('%s', (_title, kind, source, texts) => {
    expect(textsAfter('a.py', source, kind)).toEqual(texts);
  });
});

describe('Go', () => {
  const body = (text: string) => `package a\n\nfunc f() error {\n\t${text}\n\treturn nil\n}\n`;
  test.each<Row>([
    ['a name is negated', 'guard', 'if ok {\n\t}', ['if !ok {\n\t}']],
    ['a call is negated', 'guard', 'if a.b() {\n\t}', ['if !a.b() {\n\t}']],
    ['"&&" is negated as a whole', 'guard', 'if a && b {\n\t}', ['if !(a && b) {\n\t}']],
    ['a condition in parentheses needs no others', 'guard', 'if (a && b) {\n\t}', ['if !(a && b) {\n\t}']],
    ['the operator is changed, not a comment', 'boundary', 'x := a /* < */ < b', ['x := a /* < */ <= b']],
    ['a limit stays', 'boundary', 'if a > b {\n\t\ta = b\n\t}', []],
    ['a slice with a capacity stays', 'off-by-one', 'a = b[from:end:most]', []],
    ['a call that only sounds like a check stays', 'validation', 'a.Checkout(b)\n\tc()', []],
    [
      'a guard that declares a variable is only inverted',
      'guard',
      'if a := b(); a == nil {\n\t\treturn nil\n\t}',
      ['if a := b(); a != nil {\n\t\treturn nil\n\t}'],
    ],
    [
      'a wrapped error is not returned',
      'swallowed-error',
      'if err != nil {\n\t\treturn 0, wrap(err)\n\t}',
      ['if err != nil {\n\t\treturn 0, nil\n\t}'],
    ],
    ['an error that is only logged stays', 'swallowed-error', 'if err != nil {\n\t\tlog(err)\n\t}', []],
    ['a return of something else stays', 'swallowed-error', 'if err != nil {\n\t\treturn nil\n\t}', []],
    ['a return without values stays', 'swallowed-error', 'if err != nil {\n\t\treturn\n\t}', []],
    ['an empty block stays', 'swallowed-error', 'if err != nil {\n\t}', []],
    ['a slice ends too early', 'off-by-one', 'a = b[1:end]', ['a = b[1:end - 1]']],
    ['a slice without an end stays', 'off-by-one', 'a = b[from:]', []],
    ['a number of seconds', 'unit', 'sleep(5 * time.Second)', ['sleep(5)']],
    ['a factor that is not a unit stays', 'unit', 'sleep(a * b)', []],
    ['a comparison is negated twice', null, 'if a == b {\n\t}', ['if !(a != b) {\n\t}']],
    [
      'branches are swapped',
      null,
      'if a {\n\t\tb()\n\t} else {\n\t\tc()\n\t}',
      ['if !a {\n\t\tc()\n\t} else {\n\t\tb()\n\t}'],
    ],
    ['an "else if" stays', null, 'if a {\n\t} else if b {\n\t}', []],
  ])('%s', (_title, kind, source, texts) => {
    expect(textsAfter('a.go', body(source), kind)).toEqual(texts.map(body));
  });
});

/** Returns a node of a tree that has no fields except the given ones. */
function node(
  kind: string,
  at: readonly [start: number, end: number],
  fields: Readonly<Record<string, SyntaxNode>> = {},
): SyntaxNode {
  const children = Object.values(fields);
  return { kind, start: at[0], end: at[1], children, field: (name) => fields[name] ?? null };
}

describe('nodes of an incomplete tree', () => {
  const source = 'a < b; if (a < b) { }';
  const plain = (kind: string) => node(kind, [0, 5]);
  test.each<[title: string, rules: readonly EditRule[], root: SyntaxNode]>([
    ['a comparison without sides', JAVASCRIPT_RULES, plain('BinaryExpression')],
    ['an "if" without a condition', JAVASCRIPT_RULES, plain('IfStatement')],
    ['an "if" without a body', JAVASCRIPT_RULES, node('IfStatement', [7, 21], { test: node('Identifier', [11, 12]) })],
    [
      'an "await" without a value',
      JAVASCRIPT_RULES,
      node('ExpressionStatement', [0, 5], { expression: plain('AwaitExpression') }),
    ],
    ['a "catch" without a body', JAVASCRIPT_RULES, plain('CatchClause')],
    ['a call without parts', JAVASCRIPT_RULES, plain('CallExpression')],
    ['a comparison without sides in tree-sitter', TREE_SITTER_RULES, plain('comparison_operator')],
    ['an "if" without a condition in tree-sitter', TREE_SITTER_RULES, plain('if_statement')],
    ['an "except" without a block', TREE_SITTER_RULES, plain('except_clause')],
    ['a slice without parts', TREE_SITTER_RULES, plain('slice')],
    ['a statement without a parent', TREE_SITTER_RULES, plain('expression_statement')],
  ])('%s has no edits', (_title, rules, root) => {
    expect(findEdits(root, source, rules)).toEqual([]);
  });

  test('a condition whose sides are missing is negated as a whole', () => {
    const root = node('IfStatement', [7, 21], {
      test: node('BinaryExpression', [11, 16]),
      consequent: node('BlockStatement', [18, 21]),
    });
    expect(findEdits(root, source, JAVASCRIPT_RULES).map((edit) => applyEdit(source, edit))).toEqual([
      'a < b; if (!(a < b)) { }',
    ]);
  });

  test('an "if" of tree-sitter that is the root is only inverted', () => {
    const root = node('if_statement', [7, 21], {
      condition: node('identifier', [11, 12]),
      consequence: node('block', [18, 21]),
    });
    expect(findEdits(root, source, TREE_SITTER_RULES).map((edit) => applyEdit(source, edit))).toEqual([
      'a < b; if (not a < b) { }',
    ]);
  });
});

describe('removed statements', () => {
  test.each<[title: string, source: string, statement: string, text: string]>([
    ['a statement on its own line takes the line with it', 'a\n  b\nc\n', 'b', 'a\nc\n'],
    ['a semicolon and spaces after it go too', 'a\n  b ; \nc\n', 'b', 'a\nc\n'],
    ['a line end of Windows goes too', 'a\r\nb\r\nc\r\n', 'b', 'a\r\nc\r\n'],
    ['the last line needs no line end', 'a\nb', 'b', 'a\n'],
    ['the first line', 'a\nb\n', 'a', 'b\n'],
    ['code before it on the line stays', 'a; b\nc\n', 'b', 'a; \nc\n'],
    ['code after it on the line stays', 'a\nb; c\n', 'b', 'a\n; c\n'],
    ['a comment after it on the line stays', 'b // c\n', 'b', ' // c\n'],
    ['comments above it go too', 'a\n  // why\n  // more\n  b\nc\n', 'b', 'a\nc\n'],
    ['a comment of Python above it goes too', 'a\n# why\nb\nc\n', 'b', 'a\nc\n'],
    ['a comment above a blank line stays', '// why\n\nb\nc\n', 'b', '// why\n\nc\n'],
    ['a blank line after it goes at the start of a block', '{\n  b\n\n  c\n}\n', 'b', '{\n  c\n}\n'],
    ['one of two blank lines goes', 'a\n\nb\n\nc\n', 'b', 'a\n\nc\n'],
    ['a blank line after other code stays', 'a\nb\n\nc\n', 'b', 'a\n\nc\n'],
  ])('%s', (_title, source, statement, text) => {
    const start = source.indexOf(statement);
    const edit = removed(node('x', [start, start + statement.length]), source, 'guard', 'removed');
    expect(applyEdit(source, edit)).toBe(text);
  });
});

test('several edits apply in any order', () => {
  const at = (start: number, end: number, text: string): SourceEdit => ({ class: null, start, end, text, says: '' });
  const edits = [at(0, 1, 'AAA'), at(4, 5, ''), at(2, 3, 'B')];
  expect(applyEdits('a b c', edits)).toBe('AAA B ');
  expect(applyEdits('a b c', [...edits].reverse())).toBe('AAA B ');
});

test.each([
  [0, 1],
  [1, 1],
  [2, 2],
  [3, 3],
  [99, 3],
])('offset %i of "a\\n\\nb" is in line %i', (offset, line) => {
  expect(lineAt('a\n\nb', offset)).toBe(line);
});

describe('places where an edit is not a bug for a reviewer to find', () => {
  test.each([
    ['the type checker', 'a.py', 'if TYPE_CHECKING:\n    import a\n'],
    ['the type checker, by its module', 'a.py', 'if t.TYPE_CHECKING:\n    import a\n'],
    ['the version of Python', 'a.py', 'if sys.version_info >= (3, 8):\n    import a\n'],
    ['the start of a module', 'a.py', 'if __name__ == "__main__":\n    main()\n'],
    ['a symmetric function', 'a.go', 'package a\n\nfunc f() {\n\tuniqueVars(a, b)\n}\n'],
  ])('%s', (_title, path, source) => {
    const edits = parsers.parserFor(path)?.edits(path, source) ?? null;
    expect(edits?.filter((edit) => edit.class !== null)).toEqual([]);
  });
});
