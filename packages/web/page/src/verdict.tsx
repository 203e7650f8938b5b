import { showInvisibleInLines } from '@onceover/base/kernel/escape';
import { openProblems } from './findings.tsx';
import { Diff, Figure, Name, Nothing, Pill, Prose, Section } from './parts.tsx';
import { type GateDocument, isLive, linkTo, live, matches, type PageDocument, type RunDocument } from './state.ts';
import { allTokens, count, duration, GATE_WORDS, SESSIONS, TONES, tokens, toneOf, when } from './words.ts';

const MARKS = { good: '✓', bad: '✕', warn: '!', idle: '–' } as const;

/** Shows the result in one line, the next steps, and which project and branch the result is about. */
export function Verdict({ page }: { readonly page: PageDocument }) {
  const { run, phase, verdict, branch, project, made_at } = page;
  const [title = 'Reviews of this clone', ...next] = verdict;
  const status = run?.status ?? phase?.status ?? (page.error === null ? 'no_changes' : 'error');
  // A change that is not reviewed yet has not passed, but nothing is wrong with it.
  const isWaiting = status === 'failed' && run?.gates.every(({ status: end }) => end !== 'fail' && end !== 'error');
  const tone = isWaiting === true ? 'idle' : toneOf(status);
  const base = run?.base ?? null;
  return (
    <header class={`verdict ${tone}`} id="section-verdict">
      {page.page !== 'cost' && page.page !== 'prove' && (
        <span class="mark" aria-hidden="true">
          {MARKS[tone]}
        </span>
      )}
      <div>
        <h1>
          <Name>{title.replace(/ \(exit code \d+\)$/, '')}</Name>
        </h1>
        {(live.value?.run == null ? next : []).map((line) => (
          <Prose key={line}>{line}</Prose>
        ))}
        {(run?.warnings ?? []).map((line) => (
          <Prose key={line} class="warning">{`Warning: ${line}`}</Prose>
        ))}
        <p class="meta">
          <span>
            <Name>{project}</Name>
          </span>
          {branch !== null && (
            <span>
              branch <Name>{branch}</Name>
            </span>
          )}
          {base !== null && (
            <span>
              compared with <Name>{base}</Name>
            </span>
          )}
          {run !== null && run.iteration !== null && <span>run {run.iteration}</span>}
          <span>
            {isLive.value ? 'read' : 'written'} {when(made_at)}
          </span>
        </p>
      </div>
      {run !== null && (run.gates.length > 0 || run.findings.length > 0) && <Summary page={page} run={run} />}
    </header>
  );
}

/** Shows the main figures of a run, which the sections below explain. */
function Summary({ page, run }: { readonly page: PageDocument; readonly run: RunDocument }) {
  const passedCount = run.gates.filter(({ status }) => status === 'pass' || status === 'holds').length;
  const open = openProblems(run).length;
  const waivedCount = run.findings.filter(({ state }) => state === 'waived').length;
  const savedTokens = Object.values(run.saved).reduce((sum, amount) => sum + amount, 0);
  const uncoveredCount = run.uncovered_files.length + run.withheld_files.length;
  return (
    <dl class="figures">
      <Figure name="Gates" value={`${passedCount} of ${run.gates.length}`} more="passed" />
      <Figure
        name="Findings"
        value={String(open)}
        more={waivedCount === 0 ? 'open' : `open, ${count(waivedCount, 'waiver')}`}
      />
      {page.page === 'run' ? (
        <Figure
          name="Tokens"
          value={run.usage === null && run.dispatches > 0 ? '?' : tokens(allTokens(run.usage))}
          more={savedTokens === 0 ? `paid, ${count(run.dispatches, 'call')}` : `paid, ${tokens(savedTokens)} not paid`}
        />
      ) : (
        <Figure name="Runs" value={String(page.history.runs.length)} more="in this clone" />
      )}
      <Figure
        name="Not covered"
        value={String(uncoveredCount)}
        more={uncoveredCount === 1 ? 'changed file' : 'changed files'}
      />
    </dl>
  );
}

/** Shows for each gate, reviewer by reviewer, why the gate passes or does not pass. */
export function WhyItCounts({ page, run }: { readonly page: PageDocument; readonly run: RunDocument }) {
  const gates = run.gates.filter((gate) =>
    matches(gate.id, gate.detail, ...gate.slots.map(({ agent, detail }) => `${agent} ${detail}`)),
  );
  return (
    <Section id="gates" title="Why it counts" aside={count(run.gates.length, 'gate')}>
      {gates.length === 0 && <Nothing>No gate covers the change.</Nothing>}
      <div class="gates">
        {gates.map((gate) => (
          <Gate key={gate.id} gate={gate} page={page} />
        ))}
      </div>
    </Section>
  );
}

function Gate({ gate, page }: { readonly gate: GateDocument; readonly page: PageDocument }) {
  const proof = page.proof.find((candidate) => candidate.gate === gate.id);
  const word = gate.why === 'waived' ? 'waived' : GATE_WORDS[gate.status];
  const output = gate.output ?? '';
  const hasPassed = gate.status === 'pass' || gate.status === 'holds';
  const explanation = page.explanations.find((candidate) => 'gate' in candidate && idOf(candidate.gate) === gate.id);
  const tone = gate.why === 'waived' ? 'warn' : TONES[gate.status];
  return (
    <article class="gate" id={`gate-${gate.id}`} data-item tabIndex={-1}>
      <div class="card-head">
        <span class={`dot ${tone}`} aria-hidden="true">
          {MARKS[tone]}
        </span>
        <h3>
          <a href={linkTo('gate', gate.id)}>
            <Name>{gate.id}</Name>
          </a>
          {gate.detail !== word && (
            <span class="place">
              <Name>{gate.detail}</Name>
            </span>
          )}
        </h3>
        <Pill tone={tone}>{word}</Pill>
      </div>
      {proof !== undefined && (
        <p class="content soft">
          Content{' '}
          <code>
            <Name>{proof.content.slice(0, 12)}</Name>
          </code>
          : {count(proof.files.length, 'changed file')}, <Names names={proof.files} />
        </p>
      )}
      {explanation !== undefined && 'command' in explanation && <Command explanation={explanation} />}
      {gate.slots.length > 0 && (
        <ul class="reviewers">
          {gate.slots.map((slot) => (
            <Reviewer
              key={slot.slot}
              slot={slot}
              proof={proof?.slots.find((candidate) => candidate.slot === slot.slot)}
            />
          ))}
        </ul>
      )}
      {output !== '' && !hasPassed && (
        <pre class="output" tabIndex={0}>
          {showInvisibleInLines(output)}
        </pre>
      )}
      <details data-print>
        <summary>Explain</summary>
        {output !== '' && hasPassed && (
          <pre class="output" tabIndex={0}>
            {showInvisibleInLines(output)}
          </pre>
        )}
        {proof !== undefined && (
          <p>
            Prompt:{' '}
            <code>
              <Name>{proof.prompt}</Name>
            </code>
          </p>
        )}
        {explanation !== undefined && (
          <>
            {'would_do' in explanation && explanation.would_do.length > 0 && (
              <>
                <h4>The next run</h4>
                <ul>
                  {explanation.would_do.map((line) => (
                    <li key={line}>
                      <Name>{line}</Name>
                    </li>
                  ))}
                </ul>
              </>
            )}
            {'proof' in explanation && explanation.proof != null && (
              <p>
                Proof: <Name>{explanation.proof}</Name>
              </p>
            )}
            <h4>It runs again if</h4>
            <ul>
              {('runs_again' in explanation ? explanation.runs_again : []).map((line) => (
                <li key={line}>
                  <Name>{line}</Name>
                </li>
              ))}
            </ul>
          </>
        )}
      </details>
    </article>
  );
}

type CheckExplanation = Extract<PageDocument['explanations'][number], { about: 'check' }>;

/** Shows the command of a check, and how its last run ended. */
function Command({ explanation: { command, history } }: { readonly explanation: CheckExplanation }) {
  const [last] = [...history].sort((a, b) => b.iteration - a.iteration);
  return (
    <p class="content soft">
      Command <code>{showInvisibleInLines(command)}</code>
      {last !== undefined && ` · run ${last.iteration}, ${duration(last.duration_ms)}`}
    </p>
  );
}

function idOf(gate: string | { readonly id: string }): string {
  return typeof gate === 'string' ? gate : gate.id;
}

const MOST_NAMES = 6;

function Names({ names }: { readonly names: readonly string[] }) {
  const omittedCount = names.length - MOST_NAMES;
  return (
    <>
      {names.slice(0, MOST_NAMES).map((name, n) => (
        <span key={name}>
          {n > 0 && ', '}
          <code>
            <Name>{name}</Name>
          </code>
        </span>
      ))}
      {omittedCount > 0 && ` and ${omittedCount} more`}
    </>
  );
}

type SlotProof = PageDocument['proof'][number]['slots'][number];

function Reviewer({
  slot,
  proof,
}: {
  readonly slot: GateDocument['slots'][number];
  readonly proof: SlotProof | undefined;
}) {
  const word = { ...GATE_WORDS, skipped_prior_pass: 'skipped' }[slot.status];
  const isCounted = proof !== undefined && proof.counts_as !== null;
  const label = isCounted && slot.status === 'not_run' ? proof.counts_as : word;
  const unseenLines = proof?.unseen ?? null;
  const hasUnseen = unseenLines !== null && unseenLines.files.length > 0;
  const from = slot.accepted ?? null;
  return (
    <li>
      <Pill tone={isCounted && slot.status === 'not_run' ? 'good' : TONES[slot.status]}>{label}</Pill>
      <span class="who">
        Reviewer {slot.slot}{' '}
        {slot.agent !== null && (
          <span class="soft">
            <Name>{slot.agent}</Name>
          </span>
        )}
      </span>
      <span class="what">
        {slot.dispatch !== 'none' && `${SESSIONS[slot.dispatch]}, `}
        <Name>{slot.detail}</Name>
        {proof !== undefined && proof.iteration !== null && from === null && (
          <span class="soft when">
            run {proof.iteration}
            {when(proof.at) !== '' && ` · ${when(proof.at)}`}
            {slot.dispatch === 'none' && proof.dispatch !== null && ` · ${SESSIONS[proof.dispatch]}`}
          </span>
        )}
        {from !== null && (
          <span class="soft when">
            {when(from.at)} · {from.session} session
          </span>
        )}
        {slot.not_accepted != null && (
          <span class="soft when">
            A pass of another clone does not count: <Name>{slot.not_accepted.detail}</Name>
          </span>
        )}
      </span>
      {hasUnseen && <Unseen unseen={unseenLines} />}
    </li>
  );
}

/** Shows how many changed lines a skipped reviewer has not seen, and the lines themselves on demand. */
function Unseen({ unseen }: { readonly unseen: NonNullable<SlotProof['unseen']> }) {
  const size = (
    <>
      has not seen <ins>+{unseen.added}</ins> <del>−{unseen.removed}</del> lines in <Names names={unseen.files} />
    </>
  );
  if (unseen.diff === null) return <p class="unseen">{size}</p>;
  return (
    <details class="unseen" data-print>
      <summary>{size}</summary>
      <Diff text={unseen.diff} />
    </details>
  );
}

/** Shows the changed files that no review covers, and the untracked files that no reviewer saw. */
export function Uncovered({ run }: { readonly run: RunDocument }) {
  const { uncovered_files: uncoveredFiles, withheld_files: withheldFiles } = run;
  const [changedNames, untrackedNames] = [uncoveredFiles, withheldFiles].map((names) =>
    names.filter((name) => matches(name)),
  );
  return (
    <Section
      id="uncovered"
      title="Not covered by a review"
      aside={count(uncoveredFiles.length + withheldFiles.length, 'changed file')}
    >
      {(changedNames?.length ?? 0) + (untrackedNames?.length ?? 0) === 0 && (
        <Nothing>A review covers every changed file.</Nothing>
      )}
      <Files names={changedNames ?? []} />
      <Files title="Untracked files that no reviewer saw" names={untrackedNames ?? []} />
    </Section>
  );
}

function Files({ title, names: files }: { readonly title?: string; readonly names: readonly string[] }) {
  if (files.length === 0) return null;
  return (
    <>
      {title !== undefined && <h3 class="plain">{title}</h3>}
      <ul class="files panel">
        {files.map((name) => (
          <li key={name}>
            <code>
              <Name>{name}</Name>
            </code>
          </li>
        ))}
      </ul>
    </>
  );
}
