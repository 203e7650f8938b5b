import { basename } from 'node:path';
import type { Failure } from '@onceover/base/kernel/failure';
import { sha256 } from '@onceover/base/kernel/ids';
import { maskDocument } from '@onceover/base/kernel/mask-secrets';
import { DEFAULT_LOG_DIR } from '@onceover/base/kernel/paths';
import type { RepositoryPaths } from '@onceover/base/kernel/repository';
import { err, ok, type Result } from '@onceover/base/kernel/result';
import { version } from '@onceover/base/version';
import { explainRun } from '@onceover/gates/explain/explain';
import { resolveFinding } from '@onceover/gates/findings/resolve';
import type { Actor } from '@onceover/gates/findings/types';
import type { FindingAnswer } from '@onceover/gates/findings/waivers';
import { describeVerdict } from '@onceover/gates/result/describe/result';
import { errorDocument, resolvedDocument, runDocument } from '@onceover/gates/result/json';
import { startRunFor, stopRun } from '@onceover/gates/run/background-run';
import { previewGates, READ_ONLY } from '@onceover/gates/run/open-run';
import { knownScores } from '@onceover/prove/known-proofs';
import { findRepository } from '@onceover/repo/git/locate';
import { listWorktrees } from '@onceover/repo/git/worktrees';
import { type Context, Hono } from 'hono';
import { streamSSE } from 'hono/streaming';
import * as z from 'zod';
import { decideAccess } from './decide-access.ts';
import { readLive } from './follow.ts';
import type { PageDocument, SessionDocument } from './json-schema.ts';
import { readPage } from './read.ts';
import { diffReviews } from './read-gates.ts';
import { allTranscripts, findTranscript } from './read-transcripts.ts';

export type RouteOptions = {
  /** The top folder of the clone whose data the server shows. */
  readonly root: string;
  readonly token: string;
  /** The HTML page for the live view. */
  readonly page: string;
  /**
   * The user who answers findings and starts runs in the live view: a person or an agent. An agent's waiver is only a
   * proposal.
   */
  readonly by: Actor;
  port(): number;
  /** Whether a code from a link is valid. Each code works only once. */
  takeCode(code: string): boolean;
};

const PAUSE_MS = 400;

const CHANGE = { ...READ_ONLY, selection: { kind: 'change', base: null } } as const;

const HEADERS = {
  'Cache-Control': 'no-store',
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'X-Frame-Options': 'DENY',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Cross-Origin-Opener-Policy': 'same-origin',
};

const number = z.coerce.number().int().min(1);

const INPUTS = {
  run: z.object({ force: z.boolean().optional(), fresh: z.boolean().optional() }),
  resolve: z.object({
    id: z.string().max(20),
    how: z.enum(['fixed', 'skipped', 'confirmed']),
    why: z.string().max(4000),
  }),
  diff: z.object({ gate: z.string(), slot: number, from: number, to: number }),
};

/** Returns the server's answers to requests: the page, its data, and the few actions that a user can start. */
export function openRoutes(options: RouteOptions): Hono {
  const app = new Hono({ getPath: (request) => new URL(request.url).pathname });
  const runIds = new Set<string>();
  const reading = new Map<string, Promise<Result<PageDocument>>>();

  app.use('*', async (context, next) => {
    for (const [name, value] of Object.entries(HEADERS)) context.header(name, value);
    const { path, method } = context.req;
    const header = (name: string) => context.req.header(name) ?? null;
    const request = {
      ...{ method, path, host: header('host'), origin: header('origin') },
      ...{ site: header('sec-fetch-site'), mode: header('sec-fetch-mode'), contentType: header('content-type') },
    };
    const server = { port: options.port(), token: options.token };
    const [, code] = /^\/open\/([A-Za-z0-9_-]+)$/.exec(path) ?? [];
    // Other users of the machine can read the arguments with which the browser is started. So the arguments contain a
    // code that works only once, instead of the token.
    const isOpening = code !== undefined && decideAccess({ ...request, path: `/${server.token}/` }, server).ok;
    if (isOpening && options.takeCode(code)) return context.redirect(`/${server.token}/`);
    const access = decideAccess(request, server);
    if (!access.ok) return context.json({ error: { kind: 'refused', message: access.why, next: '' } }, access.status);
    return next();
  });

  const at = (path: string) => `/${options.token}/${path}` as const;
  const repositoryOf = async (context: Context) => chosenRepository(options.root, context.req.query('worktree'));

  app.get(at(''), (context) => {
    context.header('Content-Security-Policy', "frame-ancestors 'none'");
    return context.html(options.page);
  });

  app.get(at('api/session'), async (context) => {
    const trees = await listWorktrees(options.root);
    const repository = await findRepository(options.root);
    const document: SessionDocument = {
      version,
      worktrees: (trees.ok ? trees.value : []).map(({ root, branch }) => ({
        ...{ id: treeId(root), name: basename(root), branch },
        current: repository.ok && repository.value.root === root,
      })),
      person: options.by.kind === 'person',
    };
    return context.json(document);
  });

  app.get(at('api/page'), async (context) => {
    const repository = await repositoryOf(context);
    if (!repository.ok) return fail(context, repository.failure);
    const { root } = repository.value;
    // Several browsers may ask for the state at the same time, and reading it takes a while, so they share one result.
    const promise = reading.get(root) ?? readState(repository.value).finally(() => reading.delete(root));
    reading.set(root, promise);
    const page = await promise;
    return page.ok ? context.json(page.value) : fail(context, page.failure);
  });

  app.get(at('api/transcript'), async (context) => {
    const repository = await repositoryOf(context);
    const preview = await previewOf(repository);
    const transcripts = repository.ok && preview.ok ? await allTranscripts(repository.value, preview.value, []) : [];
    const transcript = preview.ok ? findTranscript(transcripts, context.req.query('id') ?? '') : preview;
    return transcript.ok ? context.json(maskDocument(transcript.value)) : fail(context, transcript.failure);
  });

  app.get(at('api/explain'), async (context) => {
    const repository = await repositoryOf(context);
    const name = context.req.query('name') ?? '';
    const explanation = repository.ok ? await explainRun(repository.value, name, null, knownScores) : repository;
    if (!explanation.ok) return fail(context, explanation.failure);
    if (explanation.value === null) return fail(context, { kind: 'unknown-subject', name });
    return context.json(maskDocument(explanation.value.document));
  });

  app.get(at('api/diff'), async (context) => {
    const input = INPUTS.diff.safeParse(context.req.query());
    if (!input.success) return fail(context, { kind: 'unknown-subject', name: 'a pair of reviews' });
    const preview = await previewOf(await repositoryOf(context));
    const diff = preview.ok ? await diffReviews(preview.value, input.data) : preview;
    return diff.ok ? context.json(maskDocument(diff.value)) : fail(context, diff.failure);
  });

  app.get(at('api/events'), async (context) => {
    const repository = await repositoryOf(context);
    if (!repository.ok) return fail(context, repository.failure);
    const preview = await previewOf(repository);
    const logDir = preview.ok ? preview.value.request.settings.logDir : DEFAULT_LOG_DIR;
    return streamSSE(context, async (stream) => {
      let last = '';
      for (let quiet = 0; !stream.aborted; quiet++) {
        const message = JSON.stringify(await readLive(repository.value, logDir, runIds));
        if (message !== last) await stream.writeSSE({ data: message });
        // Send a comment from time to time, so that the server notices when the browser is gone.
        else if (quiet % 25 === 24) await stream.write(': still here\n\n');
        last = message;
        await stream.sleep(PAUSE_MS);
      }
    });
  });

  app.post(at('api/run'), async (context) => {
    const input = INPUTS.run.safeParse(await bodyOf(context));
    if (!input.success) return fail(context, badRequest('run'));
    const repository = await repositoryOf(context);
    const { force = false, fresh = false } = input.data;
    const run = repository.ok
      ? await startRunFor(repository.value, { startedBy: options.by.kind, force, fresh })
      : repository;
    if (!run.ok) return fail(context, run.failure);
    runIds.add(run.value.id);
    return context.json({ run_id: run.value.id });
  });

  app.post(at('api/stop'), async (context) => {
    const repository = await repositoryOf(context);
    if (!repository.ok) return fail(context, repository.failure);
    const { run } = await readLive(repository.value, DEFAULT_LOG_DIR, runIds);
    const id = run?.id ?? null;
    const isStopped = id !== null && (await stopRun(repository.value, id));
    return isStopped ? context.json({ run_id: id }) : fail(context, { kind: 'unknown-run', id });
  });

  app.post(at('api/resolve'), async (context) => {
    const input = INPUTS.resolve.safeParse(await bodyOf(context));
    if (!input.success) return fail(context, badRequest('resolve'));
    const { id, how, why } = input.data;
    if (how === 'skipped' && why.trim() === '') return fail(context, badRequest('resolve'));
    const answer: FindingAnswer = { how, why: why.trim() };
    const repository = await repositoryOf(context);
    const resolution = repository.ok ? await resolveFinding(repository.value, id, answer, options.by) : repository;
    return resolution.ok ? context.json(resolvedDocument(resolution.value)) : fail(context, resolution.failure);
  });

  app.notFound((context) =>
    context.json({ error: { kind: 'not-found', message: 'There is no such page.', next: '' } }, 404),
  );
  return app;
}

function badRequest(command: string): Failure {
  return { kind: 'wrong-usage', said: 'The request is not complete.', command };
}

function fail(context: Context, failure: Failure) {
  return context.json(maskDocument(errorDocument(failure)), 400);
}

async function bodyOf(context: Context): Promise<unknown> {
  try {
    return await context.req.json();
  } catch {
    return null;
  }
}

function treeId(root: string): string {
  return sha256(root).slice(0, 16);
}

/** Returns the working tree with this id. The id is only compared with git's list; it never becomes part of a path. */
async function chosenRepository(root: string, id: string | undefined): Promise<Result<RepositoryPaths>> {
  if (id === undefined) return findRepository(root);
  const trees = await listWorktrees(root);
  if (!trees.ok) return trees;
  const worktree = trees.value.find((tree) => treeId(tree.root) === id);
  return worktree === undefined ? err({ kind: 'unknown-subject', name: id }) : findRepository(worktree.root);
}

function previewOf(repository: Result<RepositoryPaths>) {
  return repository.ok ? previewGates(repository.value, { ...CHANGE, allowUnconfigured: true }) : repository;
}

/** Returns the current state of the gates as the data of a page, without transcripts. */
async function readState(repository: RepositoryPaths): Promise<Result<PageDocument>> {
  const preview = await previewGates(repository, { ...CHANGE, allowUnconfigured: true });
  if (!preview.ok) {
    const { error } = errorDocument(preview.failure);
    const verdict = ['Error: the gates have no result', error.message, error.next];
    return ok(await readPage(repository, null, { page: 'status', verdict, error }, false));
  }
  const { outcome } = preview.value;
  const subject = { page: 'status', verdict: describeVerdict(outcome), run: runDocument(outcome) } as const;
  return ok(await readPage(repository, preview, subject, false));
}
