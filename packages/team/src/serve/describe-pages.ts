import type { ListedRepository } from './repositories.ts';
import type { ListedRun, Visitor } from './types.ts';

/** Returns the text escaped, so that it is safe in HTML elements and attributes. */
function html(text: string): string {
  return text.replace(/[&<>"']/g, (char) => `&#${char.charCodeAt(0)};`);
}

const STYLE = `body{font:16px/1.5 system-ui,sans-serif;margin:2rem auto;max-width:64rem;padding:0 1rem;color:#1b1f24;background:#fff}
h1{font-size:1.4rem}h2{font-size:1.1rem;margin-top:2rem}table{border-collapse:collapse;width:100%}
th,td{text-align:left;padding:.4rem .6rem;border-bottom:1px solid #d0d7de;vertical-align:top}
nav{display:flex;gap:1rem;align-items:center}nav form{margin-left:auto}a{color:#0550ae}
.passed{color:#116329}.failed{color:#a40e26}.error{color:#7d4e00}small{color:#57606a}
input,button{font:inherit;padding:.3rem .6rem}label{display:block;margin:.5rem 0}
@media(prefers-color-scheme:dark){body{color:#e6edf3;background:#0d1117}th,td{border-color:#30363d}a{color:#79c0ff}
.passed{color:#56d364}.failed{color:#ff7b72}.error{color:#e3b341}small{color:#8d96a0}}`;

function page(title: string, visitor: Visitor | null, body: string): string {
  const visitorLine =
    visitor === null
      ? ''
      : `<nav><a href="/">Repositories</a><form method="post" action="/logout"><small>${html(visitor.name)}</small> <button>Log out</button></form></nav>`;
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1"><title>${html(title)} · onceover</title><style>${STYLE}</style></head><body>${visitorLine}<main><h1>${html(title)}</h1>${body}</main></body></html>`;
}

/** Returns the page on which people log in with a token. */
export function describeLogin(problem: string | null): string {
  const alert = problem === null ? '' : `<p class="failed" role="alert">${html(problem)}</p>`;
  return page(
    'Log in',
    null,
    `${alert}<form method="post" action="/login"><label>Token <input type="password" name="token" autocomplete="current-password" required autofocus></label><button>Log in</button></form>`,
  );
}

/** Returns the page that lists all repositories and the newest review runs. */
export function describeRepositories(
  repositories: readonly ListedRepository[],
  runs: readonly ListedRun[],
  visitor: Visitor,
): string {
  const rows = repositories.map(
    ({ id, remote, seen_at, open_findings, last_verdict }) =>
      `<tr><td><a href="/repositories/${id}">${html(remote === '' ? `without a remote (${id})` : remote)}</a></td><td>${open_findings}</td><td>${verdict(last_verdict)}</td><td>${html(seen_at)}</td></tr>`,
  );
  const list =
    rows.length === 0
      ? '<p>No repository is in the store yet. Open a pull request, or run "onceover run" in a clone that uses the store.</p>'
      : table(['Repository', 'Open findings', 'Last pull request', 'Last used'], rows);
  return page('Repositories', visitor, `${list}<h2>Newest runs of pull requests</h2>${runTable(runs, visitor)}`);
}

/** A finding with the fields that a repository's page shows. */
type ListedFinding = {
  readonly id: string;
  readonly priority: string;
  readonly file: string | null;
  readonly line: number | null;
  readonly issue: string;
  readonly resolution: string | null;
};

export type RepositoryView = {
  readonly id: number;
  readonly remote: string;
  readonly findings: readonly ListedFinding[];
  readonly runs: readonly ListedRun[];
};

/** Returns the page of a repository with its open findings and its pull request runs. */
export function describeRepository({ id, remote, findings, runs }: RepositoryView, visitor: Visitor): string {
  const mayWaive = visitor.scopes.has('waive');
  const rows = findings.map(({ id: finding, priority, file, line, issue, resolution }) => {
    const form = `<form method="post" action="/repositories/${id}/findings/${html(finding)}/waive"><input name="why" required placeholder="reason" aria-label="Reason for ${html(finding)}"> <button>Waive</button></form>`;
    const answer = resolution === null ? (mayWaive ? form : '') : html(resolution);
    const place = file === null ? '' : `${file}${line === null ? '' : `:${line}`}`;
    return `<tr><td>${html(finding)}</td><td>${html(priority)}</td><td>${html(place)}</td><td>${html(issue)}</td><td>${answer}</td></tr>`;
  });
  const list =
    rows.length === 0
      ? '<p>No finding is open.</p>'
      : table(['Finding', 'Priority', 'Place', 'Problem', 'Answer'], rows);
  return page(
    remote === '' ? `Repository ${id}` : remote,
    visitor,
    `<p><a href="/repositories/${id}/history">History and cost</a>. The state of the gates, proofs and transcripts are only in a clone: run <code>onceover ui</code> there.</p><h2>Open findings</h2>${list}<h2>Runs of pull requests</h2>${runTable(runs, visitor)}`,
  );
}

function runTable(runs: readonly ListedRun[], visitor: Visitor): string {
  if (runs.length === 0) return '<p>There are no runs yet.</p>';
  const rows = runs.map((run) => {
    const action = (name: string, label: string) =>
      `<form method="post" action="/runs/${run.id}/${name}"><button>${label}</button></form>`;
    const isOver = run.state === 'ended' || run.state === 'dropped';
    const again = isOver && visitor.scopes.has('run') ? action('again', 'Run again') : '';
    const stop = !isOver && visitor.scopes.has('administer') ? action('stop', 'Stop') : '';
    const state = run.verdict === null ? html(run.state) : verdict(run.verdict);
    return `<tr><td><a href="/runs/${run.id}">${html(run.project)} #${run.number}</a></td><td><code>${html(run.head.slice(0, 10))}</code></td><td>${state}</td><td>${html(run.said ?? '')}</td><td>${html(run.created_at)}</td><td>${again}${stop}</td></tr>`;
  });
  return table(['Pull request', 'Commit', 'Result', 'Details', 'Started', ''], rows);
}

function verdict(word: string | null): string {
  return word === null ? '' : `<span class="${html(word)}">${html(word)}</span>`;
}

function table(head: readonly string[], rows: readonly string[]): string {
  return `<table><thead><tr>${head.map((cell) => `<th scope="col">${html(cell)}</th>`).join('')}</tr></thead><tbody>${rows.join('')}</tbody></table>`;
}
