import { showInvisibleInLines } from '../../src/kernel/escape.ts';
import { Empty, Name, Pill, Prose, Section } from './parts.tsx';
import { type GateDocument, isLive, linkTo, matches, type PageDocument, type RunDocument } from './state.ts';
import { count, GATE_WORDS, SESSIONS, TONES, toneOf, when } from './words.ts';

const MARKS = { good: '✓', bad: '✕', warn: '!', idle: '–' } as const;

/** The result in one line, the next steps, and where the result comes from. */
export function Verdict({ page }: { readonly page: PageDocument }) {
  const { run, phase, verdict, branch, project, made_at } = page;
  const [title = 'Reviews of this clone', ...next] = verdict;
  const tone = toneOf(run?.status ?? phase?.status ?? (page.error === null ? 'no_changes' : 'error'));
  const base = run?.base ?? null;
  return (
    <header class={`verdict ${tone}`} id="section-verdict">
      {page.page !== 'cost' && (
        <span class="mark" aria-hidden="true">
          {MARKS[tone]}
        </span>
      )}
      <div>
        <h1>
          <Name>{title.replace(/ \(exit code \d+\)$/, '')}</Name>
        </h1>
        {next.map((line) => (
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
    </header>
  );
}

/** Each gate with the reason why it passes or not, reviewer by reviewer. */
export function WhyItCounts({ page, run }: { readonly page: PageDocument; readonly run: RunDocument }) {
  const gates = run.gates.filter((gate) =>
    matches(gate.id, gate.detail, ...gate.slots.map(({ agent, detail }) => `${agent} ${detail}`)),
  );
  return (
    <Section id="gates" title="Why it counts" aside={<span class="aside">{count(run.gates.length, 'gate')}</span>}>
      {gates.length === 0 && (
        <Empty>{run.gates.length === 0 ? 'No gate covers the change.' : 'No gate matches the search.'}</Empty>
      )}
      <div class="cards">
        {gates.map((gate) => (
          <Gate key={gate.id} gate={gate} page={page} />
        ))}
      </div>
    </Section>
  );
}

function Gate({ gate, page }: { readonly gate: GateDocument; readonly page: PageDocument }) {
  const proof = page.proof.find((one) => one.gate === gate.id);
  const explanation = page.explanations.find((one) => 'gate' in one && idOf(one.gate) === gate.id);
  return (
    <article class="card" id={`gate-${gate.id}`} data-item tabIndex={-1}>
      <div class="card-head">
        <h3>
          <a href={linkTo('gate', gate.id)}>
            <Name>{gate.id}</Name>
          </a>
        </h3>
        <Pill tone={gate.why === 'waived' ? 'warn' : TONES[gate.status]}>
          {gate.why === 'waived' ? 'waived' : GATE_WORDS[gate.status]}
        </Pill>
      </div>
      <p class="soft">
        <Name>{gate.detail}</Name>
      </p>
      {gate.slots.length > 0 && (
        <ul class="reviewers">
          {gate.slots.map((slot) => (
            <Reviewer key={slot.slot} slot={slot} proof={proof?.slots.find((one) => one.slot === slot.slot)} />
          ))}
        </ul>
      )}
      {gate.output !== undefined && gate.output !== '' && (
        <pre class="output" tabIndex={0}>
          {showInvisibleInLines(gate.output)}
        </pre>
      )}
      <details>
        <summary>Explain</summary>
        {proof !== undefined && (
          <dl>
            <dt>Content</dt>
            <dd>
              <code>
                <Name>{proof.content.slice(0, 16)}</Name>
              </code>
              , {count(proof.files.length, 'changed file')}: <Names names={proof.files} />
            </dd>
            <dt>Prompt</dt>
            <dd>
              <code>
                <Name>{proof.prompt}</Name>
              </code>
            </dd>
          </dl>
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
            {'command' in explanation && (
              <p>
                Command: <code>{showInvisibleInLines(explanation.command)}</code>
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

function idOf(gate: string | { readonly id: string }): string {
  return typeof gate === 'string' ? gate : gate.id;
}

const MOST_NAMES = 12;

function Names({ names }: { readonly names: readonly string[] }) {
  const more = names.length - MOST_NAMES;
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
      {more > 0 && ` and ${more} more`}
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
  const shown = isCounted && slot.status === 'not_run' ? proof.counts_as : word;
  const unseen = proof?.unseen ?? null;
  const hasUnseen = unseen !== null && unseen.files.length > 0;
  return (
    <li>
      <span class="who">
        Reviewer {slot.slot}
        {slot.agent !== null && (
          <>
            {' '}
            <Name>{slot.agent}</Name>
          </>
        )}
      </span>
      <span class="what">
        <Pill tone={isCounted && slot.status === 'not_run' ? 'good' : TONES[slot.status]}>{shown}</Pill>{' '}
        {slot.dispatch !== 'none' && `${SESSIONS[slot.dispatch]}, `}
        <Name>{slot.detail}</Name>
        {isCounted && proof.iteration !== null && (
          <span class="soft">
            {' '}
            · run {proof.iteration}
            {when(proof.at) !== '' && `, ${when(proof.at)}`}
            {slot.dispatch === 'none' && proof.dispatch !== null && `, ${SESSIONS[proof.dispatch]}`}
          </span>
        )}
        {hasUnseen && (
          <span class="unseen">
            has not seen <ins>+{unseen.added}</ins> <del>−{unseen.removed}</del> lines in <Names names={unseen.files} />
          </span>
        )}
      </span>
    </li>
  );
}

/** Changed files that no review covers, and files that no reviewer saw. */
export function Uncovered({ run }: { readonly run: RunDocument }) {
  const { uncovered_files: uncovered, withheld_files: withheld } = run;
  return (
    <Section id="uncovered" title="Not covered by a review">
      {uncovered.length + withheld.length === 0 && <Empty>A review covers every changed file.</Empty>}
      <Files title="No review covers these changed files" names={uncovered} />
      <Files title="No reviewer saw these untracked files" names={withheld} />
    </Section>
  );
}

function Files({ title, names }: { readonly title: string; readonly names: readonly string[] }) {
  const shown = names.filter((name) => matches(name));
  if (shown.length === 0) return null;
  return (
    <>
      <h3 class="plain">{title}</h3>
      <ul class="files">
        {shown.map((name) => (
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
