import type { PromptUse } from '../cache/entries.ts';
import { planGemini } from '../cache/gemini.ts';
import { type Json, type JsonObject, objectAt, objectsIn, stringAt } from '../json.ts';
import { geminiRules } from '../rules/gemini.ts';
import { outputTokens, thinkingTokens } from './content.ts';
import { inTwo, plainEvent } from './sse.ts';
import type { Content, Saying, Wire, WireAnswer, WireError } from './wire.ts';

const ERROR_STATUS: Readonly<Record<number, string>> = {
  400: 'INVALID_ARGUMENT',
  401: 'UNAUTHENTICATED',
  403: 'PERMISSION_DENIED',
  404: 'NOT_FOUND',
  413: 'INVALID_ARGUMENT',
  429: 'RESOURCE_EXHAUSTED',
  503: 'UNAVAILABLE',
};

/** Gemini's generateContent API; the body has the model of the path as `model`. */
export const geminiWire: Wire = {
  provider: 'gemini',
  rules: geminiRules,
  summarize(body) {
    const parts = objectsIn(objectsIn(body['contents']).at(-1)?.['parts']);
    const config = objectAt(body, 'generationConfig');
    const tools = objectsIn(body['tools']).flatMap((tool) => objectsIn(tool['functionDeclarations']));
    return {
      model: stringAt(body, 'model'),
      tools: tools.map((tool) => stringAt(tool, 'name')),
      schema: config['responseSchema'] ?? config['responseJsonSchema'] ?? null,
      lastUserText: parts.map((part) => stringAt(part, 'text')).join(''),
      toolResults: parts
        .filter((part) => part['functionResponse'] !== undefined)
        .map((part) => JSON.stringify(objectAt(part, 'functionResponse')['response'] ?? null)),
    };
  },
  isAside: () => false,
  plan: planGemini,
  answer,
  counted: (tokens) => ({ totalTokens: tokens }),
  error: (error) => ({ headers: limitHeaders(error), body: errorBody(error) }),
};

function answer({ id, body, content, use, stops }: Saying): WireAnswer {
  const usage = usageOf(use, content);
  const frame = { modelVersion: stringAt(body, 'model'), responseId: `resp_${id}`, usageMetadata: usage };
  const response = (parts: readonly JsonObject[], ending: JsonObject): JsonObject => ({
    candidates: [{ content: { role: 'model', parts }, index: 0, ...ending }],
    ...frame,
  });
  const end = { finishReason: stops === null ? 'STOP' : { 'at-limit': 'MAX_TOKENS', refused: 'SAFETY' }[stops] };
  const pieces = content.flatMap((one, i) => piecesOf(one).map((piece) => partOf(piece, `${id}_${i}`)));
  return {
    whole: response(
      content.map((one, i) => partOf(one, `${id}_${i}`)),
      end,
    ),
    events: pieces.map((part, i) => plainEvent(response([part], i === pieces.length - 1 ? end : {}))),
    usage,
  };
}

function usageOf(use: PromptUse, content: readonly Content[]): JsonObject {
  const thoughts = thinkingTokens(content);
  const output = outputTokens(content) - thoughts;
  return {
    promptTokenCount: use.total,
    ...(use.read > 0 ? { cachedContentTokenCount: use.read } : {}),
    candidatesTokenCount: output,
    ...(thoughts > 0 ? { thoughtsTokenCount: thoughts } : {}),
    totalTokenCount: use.total + output + thoughts,
  };
}

function piecesOf(content: Content): readonly Content[] {
  return content.kind === 'text' ? inTwo(content.text).map((text) => ({ kind: 'text', text })) : [content];
}

function partOf(content: Content, id: string): JsonObject {
  switch (content.kind) {
    case 'thinking':
      return { text: content.text, thought: true };
    case 'text':
      return { text: content.text };
    case 'call': {
      const functionCall = { id: `fc_${id}`, name: content.name, args: content.input };
      return { functionCall, thoughtSignature: Buffer.from(id).toString('base64') };
    }
  }
}

function errorBody(error: WireError): Json {
  const retry = { '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: `${error.retryAfterSeconds ?? 0}s` };
  const details = error.retryAfterSeconds === undefined ? {} : { details: [retry] };
  const status = error.type ?? ERROR_STATUS[error.status] ?? 'INTERNAL';
  return { error: { code: error.status, message: error.message, status, ...details } };
}

function limitHeaders(error: WireError): Readonly<Record<string, string>> {
  return error.retryAfterSeconds === undefined ? {} : { 'retry-after': String(error.retryAfterSeconds) };
}
