import { showInvisible } from '@onceover/base/kernel/escape';
import { DataTable, Name, Nothing, Pill, Section } from './parts.tsx';
import { matches, type PageDocument } from './state.ts';
import { allTokens, countCalls, dollars, SESSIONS, STATUS_WORDS, TONES, tokens, when } from './words.ts';

type Feature = NonNullable<PageDocument['feature']>;

/** Shows the calls to agents that were made for a feature, in one table per run of `onceover phase`. */
export function FeatureSection({ feature }: { readonly feature: Feature }) {
  const { paid, phases } = feature;
  const matchingPhases = phases.filter(({ phase, dispatches }) =>
    matches(phase, ...dispatches.map(({ role }) => role)),
  );
  const calls = phases.reduce((sum, { dispatches }) => sum + dispatches.length, 0);
  return (
    <Section id="feature" title="Phases" aside={countCalls(calls, paid.dispatches)}>
      {matchingPhases.length === 0 && <Nothing>The ledger has no phase of this feature.</Nothing>}
      {matchingPhases.map((phase) => (
        <div key={phase.run}>
          <h3 class="plain">
            <Name>{phase.phase}</Name> <span class="place">{when(phase.at)}</span>
          </h3>
          <DataTable
            label={`Calls of ${showInvisible(phase.phase)}`}
            head={['Role', 'Round', 'Result', 'Session', '>Tokens', '>Price']}
            rows={phase.dispatches.map((call) => [
              <Name>{call.role}</Name>,
              call.final_validation ? `${call.iteration}, final review` : String(call.iteration),
              <Pill tone={TONES[call.status]}>{STATUS_WORDS[call.status]}</Pill>,
              SESSIONS[call.dispatch],
              call.usage === null ? '–' : tokens(allTokens(call.usage)),
              call.cost_usd === null ? '–' : dollars(call.cost_usd),
            ])}
          />
        </div>
      ))}
    </Section>
  );
}
