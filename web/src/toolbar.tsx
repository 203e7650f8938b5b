import { useState } from 'preact/hooks';
import { showInvisible } from '../../src/kernel/escape.ts';
import { chooseWorktree, startRun, stopRun } from './live.ts';
import { connection, live, problem, session } from './state.ts';
import { when } from './words.ts';

/** The controls of the live view: the working tree, the run in progress, start and stop. */
export function Toolbar() {
  const [isFresh, setFresh] = useState(false);
  const run = live.value?.run ?? null;
  const ended = live.value?.ended ?? null;
  const trees = session.value?.worktrees ?? [];
  return (
    <div class="toolbar">
      <div class="controls">
        {trees.length > 1 && (
          <label>
            Working tree{' '}
            <select onChange={(event) => chooseWorktree(event.currentTarget.value)}>
              {trees.map(({ id, name, branch, current }) => (
                <option key={id} value={id} selected={current}>
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
            <label class="check">
              <input type="checkbox" checked={isFresh} onChange={(event) => setFresh(event.currentTarget.checked)} />{' '}
              new sessions for all reviewers
            </label>
          </>
        ) : (
          <button type="button" onClick={() => stopRun()}>
            Stop the run
          </button>
        )}
      </div>
      <div role="status">
        {connection.value === 'connecting' && <p class="soft">Connecting…</p>}
        {connection.value === 'lost' && (
          <p class="banner warn">
            The server does not answer. This page shows the last state and tries again. If you started the server again,
            open its new link.
          </p>
        )}
        {run !== null && (
          <div class="banner">
            <b>
              A run is in progress since {when(run.since)}
              {run.id === null && ` (started elsewhere, process ${run.pid})`}
            </b>
            {run.progress.length > 0 && (
              <pre class="progress">{run.progress.slice(-8).map(showInvisible).join('\n')}</pre>
            )}
          </div>
        )}
        {run === null && ended?.error != null && <p class="banner bad">{showInvisible(ended.error)}</p>}
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
