import { isObject, type JsonObject, objectAt, objectsIn, parseObject, stringAt } from './json.ts';
import { jsonReply, type Reply } from './reply.ts';

/** The answer to one request of a batch: its status and body; `null` if the model never answers. */
export type BatchAnswer = { readonly status: number; readonly body: JsonObject } | null;

/** A batch of the simulator. It ends at the second poll, except if a request in it hangs. */
type Batch = { readonly lines: readonly string[] | null; polls: number; cancelled: boolean };

/** The batches and files of a simulator: Message Batches of Anthropic, and Batch and Files of OpenAI. */
export function openBatches() {
  const batches = new Map<string, Batch>();
  const files = new Map<string, string>();
  let made = 0;
  const add = (lines: readonly string[] | null) => {
    const id = `batch_${++made}`;
    batches.set(id, { lines, polls: 0, cancelled: false });
    return id;
  };
  return {
    batches,
    files,
    /** Returns the reply to a request about batches or files; `null` for any other request. */
    take(
      { method, path, raw }: { readonly method: string; readonly path: string; readonly raw: Buffer },
      answer: (path: string, body: JsonObject) => BatchAnswer,
    ): Reply | null {
      const anthropic = /\/messages\/batches(?:\/([\w-]+))?(\/cancel|\/results)?$/.exec(path);
      if (anthropic !== null) {
        const [, id, step] = anthropic;
        if (id === undefined) return created(raw, answer);
        const batch = batches.get(id);
        if (batch === undefined) return jsonReply({ error: { message: 'no such batch' } }, 404);
        if (step === '/results') return textReply((batch.lines ?? []).join('\n'));
        return jsonReply(anthropicBatch(id, look(batch, step === '/cancel')));
      }
      const file = /\/files(?:\/([\w-]+))?(\/content)?$/.exec(path);
      if (file !== null) {
        const [, id, content] = file;
        if (id === undefined) return uploaded(raw);
        if (method === 'DELETE') return jsonReply({ id, deleted: files.delete(id) });
        return content === undefined ? null : textReply(files.get(id) ?? '');
      }
      const openai = /\/batches(?:\/([\w-]+))?(\/cancel)?$/.exec(path);
      if (openai === null) return null;
      const [, id, step] = openai;
      if (id === undefined) return started(raw, answer);
      const batch = batches.get(id);
      if (batch === undefined) return jsonReply({ error: { message: 'no such batch' } }, 404);
      const { ended, cancelled } = look(batch, step !== undefined);
      const status = cancelled ? 'cancelled' : ended ? 'completed' : 'in_progress';
      const output = ended && !cancelled ? { output_file_id: `out-${id}` } : {};
      if (ended && !cancelled) files.set(`out-${id}`, (batch.lines ?? []).join('\n'));
      return jsonReply({ id, object: 'batch', status, ...output });
    },
  };

  function created(raw: Buffer, answer: (path: string, body: JsonObject) => BatchAnswer): Reply {
    const requests = objectsIn(parseObject(raw.toString('utf8'))?.['requests']);
    const lines = requests.map((one) => {
      const said = answer('/v1/messages', objectAt(one, 'params'));
      if (said === null) return null;
      const result =
        said.status === 200 ? { type: 'succeeded', message: said.body } : { type: 'errored', error: said.body };
      return JSON.stringify({ custom_id: one['custom_id'] ?? null, result });
    });
    const id = add(lines.includes(null) ? null : lines.filter((line) => line !== null));
    return jsonReply(anthropicBatch(id, { ended: false }));
  }

  function uploaded(raw: Buffer): Reply {
    const id = `file_${++made}`;
    const line = /^\{.*\}$/m.exec(raw.toString('utf8').replaceAll('\r', ''))?.[0] ?? '';
    const isBatch = /name="purpose"\s+batch/.test(raw.toString('utf8'));
    if (line === '' || !isBatch) return jsonReply({ error: { message: 'not a file of a batch' } }, 400);
    files.set(id, line);
    return jsonReply({ id, object: 'file', purpose: 'batch' });
  }

  function started(raw: Buffer, answer: (path: string, body: JsonObject) => BatchAnswer): Reply {
    const asked = parseObject(raw.toString('utf8')) ?? {};
    const one = parseObject(files.get(stringAt(asked, 'input_file_id')) ?? '');
    if (one === null || asked['completion_window'] !== '24h' || one['url'] !== asked['endpoint']) {
      return jsonReply({ error: { message: 'not a batch' } }, 400);
    }
    const said = answer(stringAt(one, 'url'), objectAt(one, 'body'));
    const response = said === null ? null : { status_code: said.status, body: said.body };
    const id = add(
      said === null ? null : [JSON.stringify({ custom_id: one['custom_id'] ?? null, response, error: null })],
    );
    return jsonReply({ id, object: 'batch', status: 'validating' });
  }
}

function look(batch: Batch, cancels: boolean): { readonly ended: boolean; readonly cancelled: boolean } {
  if (cancels) batch.cancelled = true;
  else batch.polls += 1;
  return { ended: batch.cancelled || (batch.lines !== null && batch.polls > 1), cancelled: batch.cancelled };
}

function anthropicBatch(id: string, { ended }: { readonly ended: boolean }): JsonObject {
  // The address of another host, which a client with a key must not follow.
  const results_url = ended ? `http://127.0.0.1:9/elsewhere/${id}` : null;
  return { id, type: 'message_batch', processing_status: ended ? 'ended' : 'in_progress', results_url };
}

function textReply(text: string): Reply {
  const headers = { 'content-type': 'application/x-jsonl' };
  return { kind: 'send', status: 200, headers, chunks: [text], pace: {}, end: 'close' };
}

/** Returns the answer of a reply as one document. */
export function batchAnswerOf(reply: Reply): BatchAnswer {
  if (reply.kind === 'hang') return null;
  const body = parseObject(reply.chunks.join(''));
  return { status: reply.status, body: isObject(body) ? body : {} };
}
