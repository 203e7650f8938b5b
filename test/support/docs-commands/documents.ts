import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ANSWER_SCHEMAS, type AnswerKind, answerSchema } from '@onceover/agents/dispatch/answer-schemas';
import { isRecord } from '@onceover/base/kernel/json';
import { ROLE_NAMES } from '@onceover/base/kernel/review-loops';
import { parseRole } from '@onceover/loops/phases/roles/load';
import * as z from 'zod';
import { toldAt } from './commands.ts';
import { type Fence, PROJECT } from './pages.ts';
import { type ReadDocument, wrong } from './read-document.ts';
import { readYamlFence } from './yaml-fences.ts';

const NOTHING: ReadDocument = { problems: [], told: [] };

/** Reads a block with the reader that its copy would have; code and commands are read elsewhere. */
export function readDocument(fence: Fence): ReadDocument {
  const at = `${fence.page}:${fence.line}`;
  switch (fence.info) {
    case 'yaml':
      return readYamlFence(fence, at);
    case 'json':
      return readJson(fence.text, at);
    case 'toml':
      return readToml(fence.text, at);
    case 'markdown':
      return readMarkdown(fence.text);
    case 'sh':
    case 'bash':
    case 'console':
    case 'text':
    case 'ts':
    case 'js':
    case '':
      return NOTHING;
    default:
      return wrong(`nothing is known of blocks in "${fence.info}": say so in test/support/docs-commands/documents.ts`);
  }
}

const server = z.strictObject({ command: z.string(), args: z.array(z.string()), trust: z.boolean().optional() });
const localServer = z.strictObject({
  type: z.literal('local'),
  command: z.array(z.string()),
  enabled: z.boolean().optional(),
});
const hook = z.strictObject({ type: z.literal('command'), command: z.string(), timeout: z.number().optional() });
const hooks = z.record(z.string(), z.array(z.object({ hooks: z.array(hook) })));

/** Settings of agents, by their top-level key. */
const SETTINGS: Readonly<Record<string, (value: unknown) => readonly string[]>> = {
  mcpServers: (value) =>
    Object.values(z.record(z.string(), server).parse(value)).map(({ command, args }) => [command, ...args].join(' ')),
  mcp: (value) => Object.values(z.record(z.string(), localServer).parse(value)).map(({ command }) => command.join(' ')),
  hooks: (value) =>
    Object.values(hooks.parse(value)).flatMap((all) => all.flatMap((one) => one.hooks.map(({ command }) => command))),
};

function readJson(text: string, at: string): ReadDocument {
  try {
    const value: unknown = JSON.parse(text);
    const [key = '', ...more] = isRecord(value) ? Object.keys(value) : [];
    const commandsIn = more.length === 0 ? SETTINGS[key] : undefined;
    if (isAnswer(value)) return NOTHING;
    if (commandsIn === undefined || !isRecord(value)) return wrong(...againstSchemas(value));
    return { problems: [], told: commandsIn(value[key]).map((one) => toldAt(one, at)) };
  } catch (error) {
    return wrong(String(error));
  }
}

/** Whether an agent may answer with this value. */
function isAnswer(value: unknown): boolean {
  const kinds = Object.keys(ANSWER_SCHEMAS) as AnswerKind[];
  return kinds.some(
    (kind) => z.fromJSONSchema(answerSchema(kind) as z.core.JSONSchema.JSONSchema).safeParse(value).success,
  );
}

/** Returns the problems of a document, by the schema that shares most keys with it. */
function againstSchemas(value: unknown): readonly string[] {
  const keys = isRecord(value) ? Object.keys(value) : [];
  const [best] = readdirSync(join(PROJECT, 'schemas'))
    .filter((name) => !/^(?:onceover\.yml|deepreview|job\.yml)\./.test(name))
    .map((name) => {
      const schema = JSON.parse(readFileSync(join(PROJECT, 'schemas', name), 'utf8')) as z.core.JSONSchema.JSONSchema;
      const { error } = z.fromJSONSchema(schema).safeParse(value);
      const strange = keys.filter((key) => !(key in (schema.properties ?? {}))).length;
      return { name, strange, issues: error?.issues ?? [] };
    })
    .sort((one, other) => one.strange - other.strange || one.issues.length - other.issues.length);
  return best?.issues.map(({ path, message }) => `by schemas/${best.name}, ${path.join('.')}: ${message}`) ?? [];
}

/** Reads one table of Codex's configuration, with texts and lists of texts, as an MCP server needs it. */
function readToml(text: string, at: string): ReadDocument {
  const [title = '', ...lines] = text.split('\n').filter((line) => line.trim() !== '' && !line.startsWith('#'));
  const values: Record<string, unknown> = {};
  for (const line of lines) {
    const [, key, value = ''] = /^(\w+) = (.+)$/.exec(line) ?? [];
    if (key === undefined) return wrong(`"${line}" is not a line that this reader understands`);
    values[key] = JSON.parse(value);
  }
  const shape = z.strictObject({
    command: z.string(),
    args: z.array(z.string()),
    default_tools_approval_mode: z.enum(['auto', 'prompt', 'writes', 'approve']).optional(),
    startup_timeout_sec: z.number().optional(),
    tool_timeout_sec: z.number().optional(),
  });
  const read = shape.safeParse(values);
  if (!/^\[mcp_servers\.[\w-]+\]$/.test(title)) return wrong(`"${title}" is no MCP server of Codex`);
  if (!read.success) return wrong(z.prettifyError(read.error));
  return { problems: [], told: [toldAt([read.data.command, ...read.data.args].join(' '), at)] };
}

/** A role is Markdown with front matter; Markdown without front matter is a prompt. */
function readMarkdown(text: string): ReadDocument {
  if (!text.startsWith('---\n')) return NOTHING;
  return ROLE_NAMES.some((name) => parseRole(name, text, null).ok) ? NOTHING : wrong('it is no role');
}
