import type { PageDocument } from '@onceover/web/json-schema';

/** Texts by an attacker who wants the page to run a script, load something or show something else. */
export const TRICKS = [
  '<img src=x onerror=alert(1)>',
  '<script>alert(2)</script>',
  '</script><script>alert(3)</script>',
  '<!--<script>',
  '--></script>',
  '"><svg onload=alert(4)>',
  "' onmouseover='alert(5)",
  'javascript:alert(6)',
  '<iframe src="https://example.invalid"></iframe>',
  '<base href="https://example.invalid/">',
  '<link rel=stylesheet href=https://example.invalid/a.css>',
  '<form action=https://example.invalid><button>',
  '[click](javascript:alert(7))',
  '{{alert(9)}} #{alert(10)}',
  '\u001b[2J\u001b]0;title\u0007',
  '\u202eevil\u2066',
  '\u2028\u2029',
  '&lt;b&gt; &amp; &#60;i&#62;',
  '__proto__ constructor',
  ']]><![CDATA[',
];

const AT = '2026-03-01T10:00:00.000Z';

const USAGE = {
  input_tokens: 100,
  cached_input_tokens: 50,
  cache_write_tokens: 0,
  output_tokens: 10,
  cost_usd: 0.01,
};

/** Returns the data of a page in which every text from outside is `text`. */
export function pageDocument(text: string, calls = 3, said = text): PageDocument {
  const gate = `review:${text}:x`;
  const name = `${gate}@1`;
  const call = {
    ...{ at: AT, kind: 'review', name, iteration: 1, branch: text, agent: text, model: text },
    ...{ dispatch: 'fresh', status: 'fail', why: text, requests: 1, usage: USAGE, cost_usd: 0.01 },
    ...{ cost_source: 'agent', duration_ms: 1000, transcript: 't' },
  } as unknown as PageDocument['history']['calls'][number];
  const period = {
    ...{ from: '2026-03-01', runs: 1, calls, priced_calls: calls, cost_usd: 1, tokens: 1000, saved_tokens: 500 },
  };
  const slot = {
    ...{ slot: 1, agent: text, status: 'fail', dispatch: 'fresh', why: text, pass_iteration: null },
    ...{ usage: USAGE, detail: text, accepted: null, not_accepted: { why: text, detail: text } },
  } as const;
  const finding = {
    ...{ id: 'F1', gate, slot: 1, file: text, line: 1, code: text, issue: text, fix: text, priority: 'high' },
    ...{ state: 'open', since: 1, mark: text, why: text, answer: 'proposed', by: { kind: 'agent', name: text } },
    ...{ proposed_by: null, anchor: { text, occurrence: 1 }, fingerprint: text, agent: text, closed: null },
  } as const;
  const run = {
    ...{ status: 'failed', iteration: 1, not_asked: [text], findings: [finding], uncovered_files: [text] },
    ...{ withheld_files: [text], usage: USAGE, saved: { pass: 1, slot: 2, session: 3, prefix: 4, reading: 5 } },
    ...{ scope: 'full', settled: [], commit: text, shared: null },
    ...{ base: text, exit_code: 1, dispatches: 1, retries: 0, warnings: [text] },
    gates: [
      { id: gate, kind: 'review', status: 'fail', why: 'open-findings', detail: text, slots: [slot], output: text },
    ],
  } as const;
  const listed = {
    ...{ id: 't', kind: 'review' as const, gate, slot: 1, iteration: 1, agent: text, status: 'fail', at: AT },
  };
  return {
    ...{ page: 'run', made_at: AT, version: '0.0.0-test', project: text, branch: text, verdict: [text, text] },
    run: run as unknown as NonNullable<PageDocument['run']>,
    ...{ error: null, feature: null, phase: null, prove: null, cost: null, missing: [text] },
    proof: [
      {
        ...{ gate, content: text, files: [text], prompt: text },
        slots: [
          {
            ...{ slot: 1, counts_as: 'skipped', agent: text, at: AT, iteration: 1, dispatch: 'fresh' },
            unseen: { files: [text], added: 1, removed: 2, diff: `+${text}` },
          },
        ],
      },
    ],
    explanations: [],
    code: [{ finding: 'F1', first_line: 1, lines: text.split('\n') }],
    timelines: [
      {
        gate,
        runs: [
          {
            ...{ iteration: 1, at: AT },
            cells: [
              {
                ...{ slot: 1, kind: 'fresh', status: 'fail', agent: text, detail: text, duration_ms: 1 },
                ...{ findings: 1, transcript: 't' },
              },
            ],
          },
        ],
      },
    ],
    history: {
      runs: [
        {
          ...{ at: AT, branch: text, iteration: 1, status: 'failed', exit_code: 1, started_by: 'person' },
          ...{ duration_ms: 1, calls, tokens: 1000, cost_usd: 1, saved_tokens: 500 },
        },
      ],
      calls: Array.from({ length: calls }, () => call),
      days: [period],
      weeks: [period],
      gates: [{ gate, reviews: 1, passed: 0, failed: 1, errors: 0, flips: 0, runs_until_pass: [] }],
      unreadable_entries: 0,
    },
    logs: [listed],
    transcripts: [
      {
        ...listed,
        head: [text, text],
        calls: [
          {
            ...{ agent: text, mode: text, stable: text, dynamic: text, said, usage: USAGE },
            ...{ files_read: [text], notes: [text], turns: [{ did: text, usage: USAGE }] },
          },
        ],
        ...{ result: [text], cut: false },
      },
    ],
  };
}
