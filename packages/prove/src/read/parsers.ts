import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { isRecord } from '@onceover/base/kernel/json';
import { editRulesFor, type Grammar } from '../decide/edit-rules.ts';
import { type EditRule, findEdits, type SourceEdit, type SyntaxNode } from '../decide/edits.ts';
import { JAVASCRIPT } from '../decide/grammar-estree.ts';
import { GO, PYTHON } from '../decide/grammar-tree-sitter.ts';

/** Parses the source files of some languages. */
type SourceParser = {
  /** Returns all possible edits in a text; `null` if the text has a syntax error. */
  edits(path: string, source: string): readonly SourceEdit[] | null;
  parses(path: string, source: string): boolean;
};

/** The installed parsers, and the packages that other source files would need. */
export type Parsers = {
  /** Returns the parser for a file; `null` if its language is not supported or its parser is not installed. */
  parserFor(path: string): SourceParser | null;
  /** The packages that are not installed, each with the extensions of the files that need it. */
  readonly missing: readonly { readonly packages: readonly string[]; readonly extensions: RegExp }[];
};

const JAVASCRIPT_FILES = { packages: ['oxc-parser'], extensions: /\.[cm]?[jt]sx?$/i };

/**
 * The tree-sitter grammars for which the edit rules were tested. Another language needs such a test before it is added.
 */
const GRAMMARS = [
  { name: 'python', grammar: PYTHON, packages: ['@ast-grep/napi', '@ast-grep/lang-python'], extensions: /\.py$/i },
  { name: 'go', grammar: GO, packages: ['@ast-grep/napi', '@ast-grep/lang-go'], extensions: /\.go$/i },
] as const;

/**
 * Loads the parsers that are installed in the project, next to onceover, or globally. onceover itself contains no
 * parser.
 */
export function loadParsers(root: string): Parsers {
  const load = moduleLoader(root);
  const oxc = load('oxc-parser');
  const grep = load('@ast-grep/napi');
  const parsers: { readonly extensions: RegExp; readonly parser: SourceParser }[] = [];
  const javascript = oxc === null ? null : javascriptParser(oxc);
  if (javascript !== null) parsers.push({ extensions: JAVASCRIPT_FILES.extensions, parser: javascript });
  const grammars: [name: string, grammar: unknown][] = [];
  for (const { name, grammar: rules, packages, extensions } of grep === null ? [] : GRAMMARS) {
    const grammar = load(packages[1]);
    if (grammar === null || grep === null) continue;
    grammars.push([name, grammar['default'] ?? grammar]);
    parsers.push({ extensions, parser: treeSitterParser(grep, name, rules) });
  }
  const register = grep?.['registerDynamicLanguage'];
  if (typeof register === 'function' && grammars.length > 0) register(Object.fromEntries(grammars));
  const isFound = ({ extensions }: { readonly extensions: RegExp }) =>
    parsers.some((entry) => entry.extensions === extensions);
  return {
    parserFor: (path) => parsers.find(({ extensions }) => extensions.test(path))?.parser ?? null,
    missing: [JAVASCRIPT_FILES, ...GRAMMARS].filter((grammar) => !isFound(grammar)),
  };
}

type Module = Readonly<Record<string, unknown>>;

function moduleLoader(root: string) {
  // npm installs global packages in this folder. The file `none.js` does not exist; `createRequire` only needs a path
  // there.
  const global = join(dirname(process.execPath), '..', 'lib', 'node_modules', 'none.js');
  const program = process.argv[1] ?? join(root, 'none.js');
  return (name: string): Module | null => {
    for (const from of [join(root, 'none.js'), program, global]) {
      try {
        // Uses `require`, because import() does not work in onceover's own compiled files on Node.js 20.
        const loadedModule: unknown = createRequire(from)(name);
        if (isRecord(loadedModule)) return loadedModule;
      } catch {
        // The package is not installed here, or not for this platform. Try the next folder.
      }
    }
    return null;
  };
}

function javascriptParser(oxc: Module): SourceParser | null {
  const parse = oxc['parseSync'];
  if (typeof parse !== 'function') return null;
  const treeOf = (path: string, source: string): SyntaxNode | null => {
    const result: unknown = parse(path, source);
    if (!isRecord(result) || !Array.isArray(result['errors']) || result['errors'].length > 0) return null;
    return isRecord(result['program']) ? estreeNode(result['program']) : null;
  };
  return sourceParser(treeOf, editRulesFor(JAVASCRIPT));
}

function estreeNode(node: Module): SyntaxNode {
  let children: readonly SyntaxNode[] | null = null;
  return {
    kind: String(node['type']),
    start: Number(node['start']),
    end: Number(node['end']),
    get children() {
      children ??= Object.values(node)
        .flat()
        .filter((value) => isRecord(value) && typeof value['type'] === 'string')
        .map((value) => estreeNode(value as Module))
        .sort((a, b) => a.start - b.start);
      return children;
    },
    field(name) {
      const value = node[name];
      return isRecord(value) && typeof value['type'] === 'string' ? estreeNode(value) : null;
    },
  };
}

/** The methods of an ast-grep node that are used here. */
type GrepNode = {
  kind(): string;
  range(): { readonly start: { readonly index: number }; readonly end: { readonly index: number } };
  children(): readonly GrepNode[];
  field(name: string): GrepNode | null;
  find(matcher: object): GrepNode | null;
};

function treeSitterParser(grep: Module, language: string, rules: Grammar): SourceParser {
  const treeOf = (_path: string, source: string): SyntaxNode | null => {
    const parse = grep['parse'] as (language: string, source: string) => { root(): GrepNode };
    const root = parse(language, source).root();
    // tree-sitter accepts every text and marks the parts that it cannot parse as ERROR nodes.
    return root.find({ rule: { kind: 'ERROR' } }) === null ? grepNode(root) : null;
  };
  return sourceParser(treeOf, editRulesFor(rules));
}

function grepNode(node: GrepNode): SyntaxNode {
  const { start, end } = node.range();
  let children: readonly SyntaxNode[] | null = null;
  return {
    kind: node.kind(),
    start: start.index,
    end: end.index,
    get children() {
      children ??= node.children().map(grepNode);
      return children;
    },
    field(name) {
      const child = node.field(name);
      return child === null ? null : grepNode(child);
    },
  };
}

function sourceParser(
  treeOf: (path: string, source: string) => SyntaxNode | null,
  rules: readonly EditRule[],
): SourceParser {
  return {
    edits(path, source) {
      const tree = treeOf(path, source);
      return tree === null ? null : findEdits(tree, source, rules);
    },
    parses: (path, source) => treeOf(path, source) !== null,
  };
}
