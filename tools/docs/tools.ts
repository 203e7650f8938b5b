import { Client, InMemoryTransport } from '@modelcontextprotocol/client';
import { buildServer } from '@onceover/onceover/src/mcp/server.ts';
import { describeType, type JsonSchema } from './json-schema.ts';
import { publishedSchemas } from './published.ts';
import { code, table } from './table.ts';

type Tool = {
  readonly name: string;
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  readonly inputSchema: object;
  readonly outputSchema?: object | undefined;
};

/** Returns the MCP tools as a client sees them: a list, and a section for each. */
export async function toolParts(): Promise<Readonly<Record<string, string>>> {
  const tools = await listTools();
  const list = tools.map(({ name, title, inputSchema }) => [
    `[${code(name)}](#${name})`,
    parameters(inputSchema),
    title ?? '',
  ]);
  return {
    'tool-list': table(['tool', 'parameters', 'purpose'], list),
    tools: tools.map(section).join('\n\n'),
  };
}

async function listTools(): Promise<readonly Tool[]> {
  const options = { root: '/', platform: 'claude', reviewer: null, selfReview: false };
  const server = buildServer(options, new AbortController().signal);
  const client = new Client({ name: 'docs', version: '1' });
  const [here, there] = InMemoryTransport.createLinkedPair();
  await Promise.all([server.connect(there), client.connect(here)]);
  try {
    return (await client.listTools()).tools;
  } finally {
    await client.close();
    await server.close();
  }
}

function parameters(schema: JsonSchema): string {
  return Object.keys(schema.properties ?? {})
    .map((name) => code(isNeeded(schema, name) ? name : `${name}?`))
    .join(', ');
}

// A parameter with a default is optional, even if the schema requires it.
function isNeeded({ required, properties }: JsonSchema, name: string): boolean {
  const own = properties?.[name];
  return required?.includes(name) === true && own?.default === undefined;
}

function section(tool: Tool): string {
  const schema: JsonSchema = tool.inputSchema;
  const rows = Object.entries(schema.properties ?? {}).map(([name, own]) => [
    code(name),
    describeType(own).replace(/ or null$/, ''),
    isNeeded(schema, name) ? 'required' : own.default === undefined ? '' : code(String(own.default)),
    own.description ?? '',
  ]);
  return [
    `### ${tool.name}`,
    tool.description ?? '',
    ...(rows.length === 0 ? [] : [table(['parameter', 'type', 'default', 'meaning'], rows)]),
    answerOf(tool),
  ].join('\n\n');
}

/** Names the published document that the tool returns, and its additional fields. */
function answerOf({ name, outputSchema }: Tool): string {
  const schema: JsonSchema = outputSchema ?? {};
  const { properties = {} } = schema;
  const whole = publishedSchemas().find((one) => plain(one.schema) === plain(schema));
  const part = publishedSchemas().find((one) => {
    const own = Object.entries(one.schema.properties ?? {});
    return own.length > 0 && own.every(([key, value]) => JSON.stringify(value) === JSON.stringify(properties[key]));
  });
  const found = whole ?? part;
  if (found === undefined) throw new Error(`No published schema matches the answer of ${name}.`);
  const more = Object.entries(properties).filter(([key]) => found.schema.properties?.[key] === undefined);
  const additional = more.map(
    ([key, { description = '' }]) => ` The result also has the key ${code(key)}: ${description}`,
  );
  return `Returns [${found.name}](json/${found.name}.md).${additional.join('')}`;
}

function plain(schema: object): string {
  return JSON.stringify({ ...schema, $schema: undefined });
}
