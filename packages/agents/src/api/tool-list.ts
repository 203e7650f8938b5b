/**
 * A tool that a model can call during a review. The tools only read git trees: none writes files, runs a program or
 * uses the network.
 */
export type ToolDefinition = {
  readonly name: 'read' | 'grep' | 'glob' | 'diff' | 'show_base';
  readonly description: string;
  /** The JSON schema of the tool's arguments. */
  readonly parameters: { readonly type: 'object'; readonly properties: object; readonly required: readonly string[] };
};

const PATH = { type: 'string', description: 'Path from the root of the repository.' };
const FROM = { type: 'integer', description: 'First line, counted from 1. Default: 1.' };
const LINES = { type: 'integer', description: 'Number of lines. Default: as many as fit.' };

/**
 * The tools, in the order in which every request sends them. Every prompt starts with the tools, so if a definition
 * changes, all cached prompts are lost.
 */
export const TOOLS: readonly ToolDefinition[] = [
  {
    name: 'read',
    description: 'Returns a file after the change, with line numbers. Read several files at once: call it in parallel.',
    parameters: { type: 'object', properties: { path: PATH, from: FROM, lines: LINES }, required: ['path'] },
  },
  {
    name: 'grep',
    description:
      'Searches the files after the change, line by line, for a regular expression (no backreferences or look-around).',
    parameters: {
      type: 'object',
      properties: {
        pattern: { type: 'string' },
        glob: { type: 'string', description: 'Only files that match, such as "src/**/*.ts".' },
        ignore_case: { type: 'boolean' },
        skip: { type: 'integer', description: 'Number of matches to skip, to page on.' },
      },
      required: ['pattern'],
    },
  },
  {
    name: 'glob',
    description: 'Lists the files after the change that match a glob, such as "src/**/*.ts".',
    parameters: {
      type: 'object',
      properties: { glob: { type: 'string' }, skip: { type: 'integer', description: 'Number of files to skip.' } },
      required: ['glob'],
    },
  },
  {
    name: 'diff',
    description: 'Returns the difference of one file between the base branch and the change.',
    parameters: {
      type: 'object',
      properties: { path: PATH, context: { type: 'integer', description: 'Lines around each change. Default: 10.' } },
      required: ['path'],
    },
  },
  {
    name: 'show_base',
    description: 'Returns a file as it is on the base branch, before the change, with line numbers.',
    parameters: { type: 'object', properties: { path: PATH, from: FROM, lines: LINES }, required: ['path'] },
  },
];
