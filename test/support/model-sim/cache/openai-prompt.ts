import { isObject, type JsonObject, objectsIn, without } from '../json.ts';

/** The parts of a Responses prompt before its input: tools, answer format, instructions. */
export function openingParts(body: JsonObject): readonly string[] {
  const text = body['text'];
  const format = isObject(text) ? text['format'] : undefined;
  return [body['tools'], format, body['instructions']].flatMap((part) =>
    part === undefined || part === null ? [] : [typeof part === 'string' ? part : JSON.stringify(part)],
  );
}

/** Returns the items of a Responses prompt without their ids, which the model never sees. */
export function inputItems(body: JsonObject): readonly JsonObject[] {
  const input = body['input'];
  if (typeof input === 'string') return [{ type: 'message', role: 'user', content: input }];
  return objectsIn(input).map((item) => without(item, 'id'));
}
