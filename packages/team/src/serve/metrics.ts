import type { Database } from '@onceover/store/connect';
import type { MetricFamily } from './describe-metrics.ts';

type Row = {
  readonly name: string;
  readonly first: string | null;
  readonly second: string | null;
  readonly value: number;
};

// Read all figures with a single SQL statement, so that they are from the same moment.
const FIGURES = `
  SELECT 'jobs' AS name, 'calls' AS first, state AS second, count(*)::float8 AS value
    FROM onceover.calls WHERE state IN ('waiting', 'running') GROUP BY state
  UNION ALL SELECT 'jobs', 'runs', state, count(*) FROM onceover.pull_runs
    WHERE state IN ('waiting', 'running') GROUP BY state
  UNION ALL SELECT 'oldest', 'calls', NULL, coalesce(extract(epoch FROM now() - min(created_at)), 0)
    FROM onceover.calls WHERE state = 'waiting'
  UNION ALL SELECT 'oldest', 'runs', NULL, coalesce(extract(epoch FROM now() - min(created_at)), 0)
    FROM onceover.pull_runs WHERE state = 'waiting'
  UNION ALL SELECT 'workers', NULL, NULL, count(*) FROM onceover.workers WHERE seen_at > now() - interval '30 seconds'
  UNION ALL SELECT 'calls', agent, outcome, count(*) FROM onceover.call_starts
    WHERE ended_at > now() - interval '1 hour' GROUP BY agent, outcome
  UNION ALL SELECT 'tokens', agent, NULL, coalesce(sum(tokens), 0) FROM onceover.call_starts
    WHERE ended_at > now() - interval '1 hour' GROUP BY agent
  UNION ALL SELECT 'usd', agent, NULL, coalesce(sum(usd), 0) FROM onceover.call_starts
    WHERE ended_at > now() - interval '1 hour' GROUP BY agent
  UNION ALL SELECT 'runs', coalesce(verdict, 'dropped'), NULL, count(*) FROM onceover.pull_runs
    WHERE ended_at > now() - interval '1 hour' GROUP BY verdict
  UNION ALL SELECT 'errors', 'run', error, count(*) FROM onceover.pull_runs
    WHERE ended_at > now() - interval '1 hour' AND error IS NOT NULL GROUP BY error
  UNION ALL SELECT 'errors', 'call', outcome, count(*) FROM onceover.call_starts
    WHERE ended_at > now() - interval '1 hour' AND outcome <> 'answered' GROUP BY outcome`;

const QUEUES = ['calls', 'runs'];

const STATES = ['waiting', 'running'];

/** Reads the metrics of the whole team from its store. */
export async function readMetrics({ query }: Pick<Database, 'query'>): Promise<readonly MetricFamily[]> {
  const rows = await query<Row>(FIGURES);
  const of = (name: string, ...labels: readonly [string?, string?]): MetricFamily['samples'] =>
    rows
      .filter((row) => row.name === name)
      .map(({ first, second, value }) => {
        const [firstLabel, secondLabel] = labels;
        return {
          labels: {
            ...(firstLabel === undefined ? {} : { [firstLabel]: first ?? '' }),
            ...(secondLabel === undefined ? {} : { [secondLabel]: second ?? '' }),
          },
          value,
        };
      });
  const jobs = QUEUES.flatMap((queue) =>
    STATES.map((state) => {
      const row = rows.find(({ name, first, second }) => name === 'jobs' && first === queue && second === state);
      // Report empty queues as 0: an alert must be able to tell an empty queue from a missing metric.
      return { labels: { queue, state }, value: row?.value ?? 0 };
    }),
  );
  return [
    { name: 'onceover_jobs', help: 'Jobs that wait or run.', samples: jobs },
    {
      name: 'onceover_oldest_job_age_seconds',
      help: 'The age of the oldest job that waits; 0 if none waits.',
      samples: of('oldest', 'queue'),
    },
    { name: 'onceover_workers', help: 'Workers that are connected.', samples: of('workers') },
    {
      name: 'onceover_calls_last_hour',
      help: 'Calls to agents that ended in the last hour.',
      samples: of('calls', 'agent', 'outcome'),
    },
    {
      name: 'onceover_tokens_last_hour',
      help: 'Tokens of the calls that ended in the last hour.',
      samples: of('tokens', 'agent'),
    },
    {
      name: 'onceover_cost_usd_last_hour',
      help: 'Prices in US dollars that the agents reported for these calls.',
      samples: of('usd', 'agent'),
    },
    {
      name: 'onceover_runs_last_hour',
      help: 'Runs of pull requests that ended in the last hour.',
      samples: of('runs', 'verdict'),
    },
    { name: 'onceover_errors_last_hour', help: 'Errors of the last hour.', samples: of('errors', 'of', 'kind') },
  ];
}
