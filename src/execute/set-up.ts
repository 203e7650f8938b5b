import type { RepoPath } from '../domain/brand.ts';
import type { ProjectFiles, Repository } from '../domain/ports.ts';
import { done, failed, type Result } from '../domain/result.ts';
import type { SetUpStep } from '../domain/set-up.ts';
import { projectShape } from '../plan/languages.ts';
import { addMcpEntry } from '../plan/mcp-entry.ts';
import { starterRules } from '../prompt/starter-rules.ts';

const RULES = '.deepreview' as RepoPath;
const MCP = '.mcp.json' as RepoPath;

type SetUpPorts = { readonly files: ProjectFiles; readonly repository: Repository };

/** A file as it is to be written; `text` is null where it is left alone. */
type PlannedFile = Omit<SetUpStep, 'ignored'> & { readonly text: string | null };

/** Writes what is asked for and not there yet; if one of the files is in the way, none is written. */
export async function setUp(
  ports: SetUpPorts,
  wanted: { readonly rules: boolean; readonly mcp: boolean },
): Promise<Result<readonly SetUpStep[]>> {
  const planned: PlannedFile[] = [];
  for (const plan of [...(wanted.rules ? [planRules] : []), ...(wanted.mcp ? [planMcp] : [])]) {
    const file = await plan(ports);
    if (!file.ok) return file;
    planned.push(file.value);
  }
  const steps: SetUpStep[] = [];
  for (const { text, ...step } of planned) {
    if (text !== null) {
      const written = await ports.files.write(step.path, text);
      if (!written.ok) return written;
    }
    const ignored = await ports.repository.ignores(step.path);
    if (!ignored.ok) return ignored;
    steps.push({ ...step, ignored: ignored.value });
  }
  return done(steps);
}

/** A starter `.deepreview`; one that is there is left alone. */
async function planRules({ files, repository }: SetUpPorts): Promise<Result<PlannedFile>> {
  const present = await files.read(RULES);
  if (!present.ok) return present;
  if (present.value !== null) return done({ path: RULES, did: 'left', added: null, text: null });
  const there = await repository.listing();
  if (!there.ok) return there;
  const text = starterRules(projectShape([...there.value.listing.tracked, ...there.value.listing.untracked]));
  return done({ path: RULES, did: 'written', added: text, text });
}

/** The MCP server in `.mcp.json`; everything else in it is kept. */
async function planMcp({ files }: SetUpPorts): Promise<Result<PlannedFile>> {
  const present = await files.read(MCP);
  if (!present.ok) return present;
  const change = addMcpEntry(present.value);
  switch (change.kind) {
    case 'leave':
      return done({ path: MCP, did: 'left', added: null, text: null });
    case 'unreadable':
      return failed({ kind: 'unreadable-json', path: MCP, said: change.said });
    case 'write':
      return done({
        path: MCP,
        did: present.value === null ? 'written' : 'extended',
        added: change.added,
        text: change.text,
      });
  }
}
