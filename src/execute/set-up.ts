import type { RepoPath } from '../domain/brand.ts';
import type { Listing } from '../domain/change.ts';
import type { ProjectFiles } from '../domain/ports.ts';
import { done, failed, type Result } from '../domain/result.ts';
import type { SetUpStep } from '../domain/set-up.ts';
import { projectShape } from '../plan/languages.ts';
import { addMcpEntry } from '../plan/mcp-entry.ts';
import { starterRules } from '../prompt/starter-rules.ts';

const RULES = '.deepreview' as RepoPath;
const MCP = '.mcp.json' as RepoPath;

/** Writes a starter `.deepreview`; one that is there is left alone. */
export async function setUpRules(files: ProjectFiles, listing: Listing): Promise<Result<SetUpStep>> {
  const present = await files.read(RULES);
  if (!present.ok) return present;
  if (present.value !== null) return done({ path: RULES, did: 'left', added: null });
  const text = starterRules(projectShape([...listing.tracked, ...listing.untracked]));
  const written = await files.write(RULES, text);
  return written.ok ? done({ path: RULES, did: 'written', added: text }) : written;
}

/** Adds the MCP server to `.mcp.json`; everything else in it is kept. */
export async function setUpMcp(files: ProjectFiles): Promise<Result<SetUpStep>> {
  const present = await files.read(MCP);
  if (!present.ok) return present;
  const change = addMcpEntry(present.value);
  switch (change.kind) {
    case 'leave':
      return done({ path: MCP, did: 'left', added: null });
    case 'unreadable':
      return failed({ kind: 'unreadable-json', path: MCP, said: change.said });
    case 'write': {
      const written = await files.write(MCP, change.text);
      const did = present.value === null ? 'written' : 'extended';
      return written.ok ? done({ path: MCP, did, added: change.added }) : written;
    }
  }
}
