import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { parseRole } from '../../../src/config/parse-role.ts';
import { isRecord } from '../../../src/domain/is-record.ts';
import { ROLE_NAMES } from '../../../src/domain/role.ts';
import { toldAt } from './commands.ts';
import { type Fence, PROJECT } from './pages.ts';
import { type ReadDocument, wrong } from './read-document.ts';
import { readYamlFence } from './yaml-fences.ts';

const NOTHING: ReadDocument = { problems: [], told: [] };

/** Reads a block as whoever copies it would have it read; code and commands are left to others. */
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

/** Settings of agents by the key that they have at their top. */
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
    if (commandsIn === undefined || !isRecord(value)) return wrong(...againstSchemas(value));
    return { problems: [], told: commandsIn(value[key]).map((one) => toldAt(one, at)) };
  } catch (error) {
    return wrong(String(error));
  }
}

/** What the schema that has most keys of a document of ours has against it. */
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

/** One table of Codex's configuration, with texts and lists of texts: what an MCP server needs. */
function readToml(text: string, at: string): ReadDocument {
  const [title = '', ...lines] = text.split('\n').filter((line) => line.trim() !== '' && !line.startsWith('#'));
  const values: Record<string, unknown> = {};
  for (const line of lines) {
    const [, key, value = ''] = /^(\w+) = (.+)$/.exec(line) ?? [];
    if (key === undefined) return wrong(`"${line}" is no line that is understood`);
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

/** A role is Markdown with front matter; one without it is a prompt. */
function readMarkdown(text: string): ReadDocument {
  if (!text.startsWith('---\n')) return NOTHING;
  return ROLE_NAMES.some((name) => parseRole(name, text, null).ok) ? NOTHING : wrong('it is no role');
}
