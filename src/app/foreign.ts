import { CODERABBIT_FILES, readCodeRabbit } from '../config/from-coderabbit.ts';
import { CONTINUE_FOLDERS, readContinue } from '../config/from-continue.ts';
import { GAUNTLET_FILE, GAUNTLET_FOLDERS, readGauntlet } from '../config/from-gauntlet.ts';
import type { RepoPath } from '../domain/brand.ts';
import { FOREIGN_TOOLS, type ForeignConfig, type ForeignTool } from '../domain/carry-over.ts';
import type { ProjectFiles } from '../domain/ports.ts';
import type { Result } from '../domain/result.ts';

/** The tools whose configuration is in the repository. */
export async function findForeign(files: ProjectFiles): Promise<readonly ForeignTool[]> {
  const found = await Promise.all(FOREIGN_TOOLS.map((tool) => SOURCES[tool](files)));
  return FOREIGN_TOOLS.filter((_tool, i) => found[i] !== null);
}

/** Reads the configuration of a tool that is there. */
export async function readForeign(files: ProjectFiles, tool: ForeignTool): Promise<Result<ForeignConfig>> {
  const source = (await SOURCES[tool](files)) ?? '';
  switch (tool) {
    case 'gauntlet':
      return readGauntlet(files, source);
    case 'coderabbit':
      return readCodeRabbit(files, source);
    case 'continue':
      return readContinue(files);
  }
}

/** Where the configuration of each tool is; null: nowhere. */
const SOURCES: Readonly<Record<ForeignTool, (files: ProjectFiles) => Promise<string | null>>> = {
  gauntlet: (files) => firstWith(files, GAUNTLET_FOLDERS, (name) => name === GAUNTLET_FILE),
  async coderabbit(files) {
    const names = await namesIn(files, '');
    return CODERABBIT_FILES.find((name) => names.includes(name)) ?? null;
  },
  continue: (files) => firstWith(files, CONTINUE_FOLDERS, (name) => name.endsWith('.md')),
};

async function firstWith(files: ProjectFiles, folders: readonly string[], isIt: (name: string) => boolean) {
  for (const folder of folders) if ((await namesIn(files, folder)).some(isIt)) return folder;
  return null;
}

// A folder that cannot be looked into, such as a symlink, has nothing for us.
async function namesIn(files: ProjectFiles, folder: string): Promise<readonly string[]> {
  const listed = await files.list(folder as RepoPath);
  return listed.ok ? listed.value : [];
}
