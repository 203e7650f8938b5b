import { type JsonObject, objectsIn } from '../json.ts';
import type { Rejection, Rule } from '../wire/wire.ts';

/** A request has contents. */
export const someContents: Rule = (body) =>
  objectsIn(body['contents']).length > 0
    ? null
    : invalid('* GenerateContentRequest.contents: contents is not specified');

/** A conversation ends with the user or with a function response. */
export const endsWithUser: Rule = (body) => {
  const last = objectsIn(body['contents']).at(-1);
  if (last === undefined || last['role'] !== 'model') return null;
  return invalid('Please ensure that multiturn requests ends with a user role or a function response.');
};

/**
 * The turn after function calls has as many responses as there were calls. Users of Gemini CLI report this error often,
 * but not for responses that are sent twice, so it applies only on request.
 */
export const asManyResponsesAsCalls: Rule = (body) => {
  const contents = objectsIn(body['contents']);
  const wrong = contents.some((content, i) => {
    const calls = partsWith(content, 'functionCall');
    const after = contents[i + 1];
    return calls > 0 && after !== undefined && partsWith(after, 'functionResponse') !== calls;
  });
  if (!wrong) return null;
  return invalid(
    'Please ensure that the number of function response parts is equal to the number of function call parts of the ' +
      'function call turn.',
  );
};

/** Requests that Gemini's API always rejects. */
export const geminiRules: readonly Rule[] = [someContents, endsWithUser];

function partsWith(content: JsonObject, key: string): number {
  return objectsIn(content['parts']).filter((part) => part[key] !== undefined).length;
}

function invalid(message: string): Rejection {
  return { status: 400, type: 'INVALID_ARGUMENT', message };
}
