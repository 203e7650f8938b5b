import { showInvisible } from '@onceover/base/kernel/escape';
import { exposureOf } from '@onceover/prove/judge/scores';
import { DataTable, Name, Nothing, Pill, RowList, Section } from './parts.tsx';
import { matches, type PageDocument } from './state.ts';
import { allTokens, count, describeUsage, dollars, tokens } from './words.ts';

type Proof = NonNullable<PageDocument['prove']>;
type GateProof = Proof['gates'][number];
type Scores = GateProof['scores'];
type Share = Scores['found'];
type Variant = GateProof['variants'][number]['variant'];

const CLASSES: Readonly<Record<string, string>> = {
  guard: 'dropped or inverted guard',
  await: 'dropped await',
  'swallowed-error': 'swallowed error',
  'argument-order': 'argument order',
  'off-by-one': 'off by one',
  validation: 'missing validation',
  resource: 'resource not closed',
  unit: 'wrong unit',
  fix: 'undone fix',
};

const SESSION_WORDS = {
  new: 'new sessions',
  resumed: 'resumed sessions',
  skipped: 'passed reviewers skipped',
} as const;

const READING_WORDS = {
  off: 'each reviewer reads for itself',
  reviews: 'different reviews share reading',
  all: 'all reviewers share reading',
} as const;

/** Shows the scores of each gate with their confidence intervals, then every case. */
export function ProveSections({ prove }: { readonly prove: Proof }) {
  const gates = prove.gates.filter(({ gate }) => matches(gate));
  return (
    <>
      <Section id="proof" title="What the reviewers catch" aside={`95 % intervals, ${count(prove.cases, 'case')}`}>
        {gates.length === 0 && <Nothing>No gate has a result.</Nothing>}
        <div class="cards">
          {gates.map((gate) => (
            <GateScores key={gate.gate} proof={gate} />
          ))}
        </div>
      </Section>
      <Cases results={prove.results} />
    </>
  );
}

function GateScores({ proof }: { readonly proof: GateProof }) {
  const { scores, reviewers, variants, comparisons } = proof;
  const { found, by_class, false_alarms, false_passes, flips } = scores;
  const exposure = exposureOf({ found, falseAlarms: false_alarms, falsePasses: false_passes });
  return (
    <article class="card" id={`gate-${proof.gate}`} data-item tabIndex={-1}>
      <div class="card-head">
        <h3>
          <Name>{proof.gate}</Name>
        </h3>
        {exposure !== null && (
          <Pill tone="bad">{exposure === 'rubber-stamp' ? 'passes nearly everything' : 'fails nearly everything'}</Pill>
        )}
      </div>
      {variants[0] !== undefined && variants.length > 1 && (
        <p class="soft note">Scores of {describeVariant(variants[0].variant)}:</p>
      )}
      <table class="scores">
        <caption class="hidden">Scores</caption>
        <thead class="hidden">
          <tr>
            <th scope="col">Score</th>
            <th scope="col">Share with its interval</th>
            <th scope="col">Cases</th>
          </tr>
        </thead>
        <tbody>
          <Score name="Bugs found" share={found} tone="good" />
          {by_class.map((classScore) => (
            <Score
              key={classScore.class}
              name={CLASSES[classScore.class] ?? classScore.class}
              share={classScore.found}
              tone="good"
              isPart
            />
          ))}
          <Score name="False alarms" share={false_alarms} tone="bad" />
          <Score name="Passed with a bug" share={false_passes} tone="bad" />
          <Score name="Verdict flips" share={flips} tone="warn" />
        </tbody>
      </table>
      <p class="soft note">
        {costPerBug(proof)} {flips.of === 0 && 'Flips are not measured: use --repeat 2.'}
      </p>
      {reviewers.length > 1 && (
        <ScoreTable
          title="Reviewers"
          rows={reviewers.map(({ slot, agent, model, scores: slotScores }) => ({
            name: `${slot}: ${model === null ? agent : `${agent} ${model}`}`,
            scores: slotScores,
          }))}
        />
      )}
      {variants.length > 1 && (
        <ScoreTable
          title="Variants"
          rows={variants.map(({ variant, scores: variantScores }) => ({
            name: describeVariant(variant),
            scores: variantScores,
          }))}
        />
      )}
      {comparisons.map(({ a, b, cases, only_a, only_b, p }, n) => (
        <p key={n} class="soft note">
          {p >= 0.05
            ? 'No difference that these cases can show'
            : `${describeVariant(only_a > only_b ? a : b)}: finds more`}
          : {only_a} found only with {describeVariant(a)}, {only_b} only with {describeVariant(b)}, of{' '}
          {count(cases, 'bug')} (p = {p.toFixed(3)}).
        </p>
      ))}
    </article>
  );
}

function Score({
  name,
  share,
  tone,
  isPart = false,
}: {
  readonly name: string;
  readonly share: Share;
  readonly tone: 'good' | 'bad' | 'warn';
  readonly isPart?: boolean;
}) {
  const { count: hits, of, low, high } = share;
  return (
    <tr class={isPart ? 'part' : ''}>
      <th scope="row">{name}</th>
      <td>
        <span class={`interval ${tone}`}>
          {of > 0 && (
            <>
              <span class="range" style={{ left: `${low * 100}%`, width: `${(high - low) * 100}%` }} />
              <span class="point" style={{ left: `${(hits / of) * 100}%` }} />
            </>
          )}
        </span>
      </td>
      <td class="right">{describeShare(share)}</td>
    </tr>
  );
}

function describeShare({ count: hits, of, low, high }: Share): string {
  if (of === 0) return 'not measured';
  return `${hits} of ${of} (${Math.round(low * 100)}–${Math.round(high * 100)} %)`;
}

function describeVariant({ reviewers, sessions, reading }: Variant): string {
  const reviewerNote = reviewers === null ? '' : `${count(reviewers, 'reviewer')}, `;
  return `${reviewerNote}${SESSION_WORDS[sessions]}${reading === null ? '' : `, ${READING_WORDS[reading]}`}`;
}

/**
 * Describes the cost per bug found. Its confidence interval is computed from the interval of the share of bugs found:
 * if fewer bugs were found, each cost more.
 */
function costPerBug({ usage, calls, scores: { found }, variants: [headline] }: GateProof): string {
  const first = headline?.usage ?? null;
  if (usage === null || first === null) return `${count(calls, 'call')}. The agents did not report the cost.`;
  const total = `${count(calls, 'call')}, ${describeUsage(usage)}`;
  if (found.count === 0) return `${total}. No bug was found.`;
  const per = (bugs: number) =>
    first.cost_usd === null ? `${tokens(allTokens(first) / bugs)} tokens` : dollars(first.cost_usd / bugs);
  const [low, high] = [per(found.high * found.of), per(Math.max(found.low, 1e-9) * found.of)];
  return `${total}: ${per(found.count)} per bug found (95 %: ${low} to ${high}).`;
}

function ScoreTable({
  title,
  rows,
}: {
  readonly title: string;
  readonly rows: readonly { readonly name: string; readonly scores: Scores }[];
}) {
  return (
    <>
      <h4>{title}</h4>
      <DataTable
        label={title}
        head={[title, 'Bugs found', 'False alarms', 'Passed with a bug', 'Flips']}
        rows={rows.map(({ name, scores: { found, false_alarms, false_passes, flips } }) => [
          <Name>{name}</Name>,
          ...[found, false_alarms, false_passes, flips].map(describeShare),
        ])}
      />
    </>
  );
}

function Cases({ results }: { readonly results: Proof['results'] }) {
  const matchingResults = results.filter((result) =>
    matches(result.case, result.title, result.source, result.class, result.gate, result.verdict),
  );
  return (
    <Section id="cases" title="Cases" aside={count(matchingResults.length, 'result')}>
      {matchingResults.length === 0 ? (
        <Nothing>No case has a result.</Nothing>
      ) : (
        <RowList
          rows={matchingResults}
          label="All results"
          head={
            <div class="case-row head">
              <span>Case</span>
              <span>Planted bug</span>
              <span>Gate</span>
              <span>Verdict</span>
              <span>Right?</span>
            </div>
          }
          row={(result) => (
            <div class="case-row">
              <span class="cut" title={showInvisible(result.title)}>
                <Name>{result.title}</Name>
              </span>
              <span class="cut">{result.class === null ? 'none' : (CLASSES[result.class] ?? result.class)}</span>
              <span class="cut">
                <Name>{result.gate}</Name>
              </span>
              <span>{result.verdict === 'pass' ? 'passed' : 'failed'}</span>
              <span>
                <CaseResult result={result} />
              </span>
            </div>
          )}
        />
      )}
    </Section>
  );
}

function CaseResult({ result }: { readonly result: Proof['results'][number] }) {
  if (result.class === null)
    return result.verdict === 'pass' ? <Pill tone="good">passed</Pill> : <Pill tone="bad">false alarm</Pill>;
  if (result.found) return <Pill tone="good">found</Pill>;
  return (
    <Pill tone={result.verdict === 'pass' ? 'bad' : 'warn'}>
      {result.verdict === 'pass' ? 'missed' : 'failed elsewhere'}
    </Pill>
  );
}
