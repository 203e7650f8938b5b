import { showInvisible } from '@onceover/base/kernel/escape';
import { useEffect, useState } from 'preact/hooks';
import { chooseWorktree, startRun, stopRun } from './live.ts';
import { Name } from './parts.tsx';
import { connection, type LiveDocument, live, problem, session, worktree } from './state.ts';
import { count, elapsed, SESSIONS, tokens, when } from './words.ts';

/**
 * Shows the controls of the live view: the choice of the working tree, the run in progress, and buttons to start and
 * stop.
 */
export function Toolbar() {
  const [isFresh, setFresh] = useState(false);
  const run = live.value?.run ?? null;
  const endedRun = live.value?.ended ?? null;
  const trees = session.value?.worktrees ?? [];
  return (
    <div class="toolbar">
      <div class="controls">
        {trees.length > 1 && (
          <label>
            Working tree{' '}
            <select onChange={(event) => chooseWorktree(event.currentTarget.value)}>
              {trees.map(({ id, name, branch, current }) => (
                <option key={id} value={id} selected={worktree.value === null ? current : id === worktree.value}>
                  {showInvisible(`${name}${branch === null ? '' : ` (${branch})`}`)}
                </option>
              ))}
            </select>
          </label>
        )}
        {run === null ? (
          <>
            <button
              type="button"
              class="primary"
              disabled={connection.value !== 'connected'}
              onClick={() => startRun({ force: false, fresh: isFresh })}
            >
              Run the gates
            </button>
            <label class="choice">
              <input type="checkbox" checked={isFresh} onChange={(event) => setFresh(event.currentTarget.checked)} />
              <span>new sessions for all reviewers</span>
            </label>
          </>
        ) : (
          run.id !== null && (
            <button type="button" disabled={connection.value !== 'connected'} onClick={() => stopRun()}>
              Stop the run
            </button>
          )
        )}
        <span class={`live-state ${connection.value}`}>
          {{ connected: 'Live', connecting: 'Connecting…', lost: 'No connection', report: '' }[connection.value]}
        </span>
      </div>
      <div role="status">
        {connection.value === 'lost' && (
          <p class="banner warn">
            The server does not answer. This page shows the last state and tries again. If you started the server again,
            open its new link.
          </p>
        )}
        {run !== null && <Working run={run} />}
        {run === null && endedRun?.error != null && <p class="banner bad">{showInvisible(endedRun.error)}</p>}
        {problem.value !== null && (
          <p class="banner bad">
            {showInvisible(problem.value)}{' '}
            <button
              type="button"
              class="quiet"
              onClick={() => {
                problem.value = null;
              }}
            >
              Close
            </button>
          </p>
        )}
      </div>
    </div>
  );
}

type LiveRun = NonNullable<LiveDocument['run']>;

/** Shows the run in progress: how far it is, what each agent is doing, and the latest events. */
function Working({ run }: { readonly run: LiveRun }) {
  const [now, setNow] = useState(Date.now());
  const isLost = connection.value === 'lost';
  useEffect(() => {
    if (isLost) return;
    const timer = setInterval(() => setNow(Date.now()), 1000);
    return () => clearInterval(timer);
  }, [isLost]);
  const { title, since, steps, ended, failed, working, progress } = run;
  const tokenNote = run.tokens === 0 ? '' : `, ${tokens(run.tokens)} tokens`;
  return (
    <div class="live-run">
      <p class="live-head">
        <b>
          <span class={isLost ? 'pulse still' : 'pulse'} aria-hidden="true" />A run {isLost ? 'was' : 'is'} in progress
          {title !== null && (
            <>
              : <Name>{title}</Name>
            </>
          )}
        </b>
        <span class="soft">
          {since !== '' && `since ${when(since)}`}
          {run.id === null && `, started elsewhere (process ${run.pid}): press Ctrl-C there to stop it`}
        </span>
      </p>
      {steps > 0 && (
        <>
          <div class="track" aria-hidden="true">
            <span class={failed > 0 ? 'fill failing' : 'fill'} style={{ width: `${(ended / steps) * 100}%` }} />
          </div>
          <p class="soft">
            {ended} of {count(steps, 'step')} ended
            {failed > 0 && `, ${failed} failed`}
            {tokenNote}
          </p>
        </>
      )}
      {working.length > 0 && (
        <ul class="working" aria-live="off">
          {working.map((worker) => (
            <li key={worker.name}>
              <b>
                <Name>{worker.name}</Name>
              </b>
              <span class="soft">
                {worker.agent !== null && <Name>{worker.agent}</Name>}
                {worker.dispatch !== null && (
                  <>
                    , <Name>{SESSIONS[worker.dispatch as keyof typeof SESSIONS] ?? worker.dispatch}</Name>
                  </>
                )}
              </span>
              <span class="soft cut">{worker.doing !== null && <Name>{worker.doing}</Name>}</span>
              <span class="clock">{elapsed(worker.since, now)}</span>
            </li>
          ))}
        </ul>
      )}
      {progress.length > 0 && (
        <pre class="progress" aria-live="off" tabIndex={0}>
          {progress.slice(-8).map(showInvisible).join('\n')}
        </pre>
      )}
    </div>
  );
}
