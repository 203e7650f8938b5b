import { type JsonObject, objectsIn, stringAt } from '../json.ts';

/** A tool of a request, and its namespace. */
export type OfferedTool = { readonly tool: JsonObject; readonly namespace: string | null };

/** Finds the tool of that name, also in namespaces and in the input. */
export function offeredTool(body: JsonObject, name: string): OfferedTool | null {
  return offeredTools(body).find(({ tool }) => tool['name'] === name) ?? null;
}

/** Returns the names of all tools; tools without a name, such as web search, by their type. */
export function toolNames(body: JsonObject): readonly string[] {
  return offeredTools(body).map(({ tool }) => stringAt(tool, 'name') || stringAt(tool, 'type'));
}

/** Newer models get their tools in input items. */
function offeredTools(body: JsonObject): readonly OfferedTool[] {
  const added = objectsIn(body['input']).filter((item) => item['type'] === 'additional_tools');
  const tools = [body, ...added].flatMap((holder) => objectsIn(holder['tools']));
  return tools.flatMap((tool): readonly OfferedTool[] =>
    tool['type'] === 'namespace'
      ? objectsIn(tool['tools']).map((inner) => ({ tool: inner, namespace: stringAt(tool, 'name') }))
      : [{ tool, namespace: null }],
  );
}
