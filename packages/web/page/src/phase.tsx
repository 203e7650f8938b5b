import { Empty, Name, Pill, Prose, Section } from './parts.tsx';
import type { PageDocument } from './state.ts';
import { count, describeUsage, SESSIONS } from './words.ts';

type Phase = NonNullable<PageDocument['phase']>;

/** Shows the blockers and warnings of a review loop that are still open. */
export function PhaseIssues({ phase }: { readonly phase: Phase }) {
  return (
    <Section id="findings" title="Open issues" aside={count(phase.open_issues.length, 'issue')}>
      {phase.open_issues.length === 0 && <Empty>No blocker and no warning is open.</Empty>}
      <div class="cards">
        {phase.open_issues.map((issue, n) => (
          <article class="card" key={n} data-item tabIndex={-1}>
            <div class="card-head">
              <h3>
                <Name>{issue.role}</Name>
                {issue.location !== null && (
                  <>
                    {' '}
                    <code class="place">
                      <Name>{issue.location}</Name>
                    </code>
                  </>
                )}
              </h3>
              <Pill tone={issue.severity === 'blocker' ? 'bad' : 'warn'}>{issue.severity}</Pill>
            </div>
            <Prose class="issue">{issue.description}</Prose>
            {issue.suggestion !== null && <Prose>{issue.suggestion}</Prose>}
          </article>
        ))}
      </div>
    </Section>
  );
}

/** Shows every reviewer of a review loop, round by round. */
export function PhaseRounds({ phase }: { readonly phase: Phase }) {
  return (
    <Section id="timeline" title="Rounds">
      <div class="cards">
        {phase.loops.map((loop) => (
          <div class="card rounds" key={loop.role} data-item tabIndex={-1}>
            <h3>
              <Name>{loop.role}</Name>
            </h3>
            <ul class="reviewers">
              {loop.iterations.map((iteration) => (
                <li key={`${iteration.round} ${iteration.n}`}>
                  <Pill tone={iteration.error !== null ? 'warn' : iteration.engine_pass ? 'good' : 'bad'}>
                    {iteration.error !== null ? 'error' : iteration.engine_pass ? 'approved' : 'needs work'}
                  </Pill>
                  <span class="who">
                    Round {iteration.round}
                    {iteration.final_validation && ', final review'}
                  </span>
                  <span class="what">
                    <Name>{iteration.agent}</Name>, {SESSIONS[iteration.dispatch]}, {describeUsage(iteration.usage)},{' '}
                    {iteration.issues.length === 0 ? 'no issues' : count(iteration.issues.length, 'issue')}
                    {iteration.summary !== null && <Prose class="soft">{iteration.summary}</Prose>}
                    {iteration.error !== null && <Prose class="warning">{iteration.error}</Prose>}
                  </span>
                </li>
              ))}
              {loop.rested.map(({ round, passed_at }) => (
                <li key={`rested ${round}`}>
                  <Pill tone="idle">skipped</Pill>
                  <span class="who">Round {round}</span>
                  <span class="what">passed in round {passed_at}</span>
                </li>
              ))}
            </ul>
          </div>
        ))}
      </div>
    </Section>
  );
}
