import type { Position } from '@onceover/base/kernel/failure';
import type { settingsSchema } from '@onceover/repo/config/settings-schema';
import type { z } from 'zod';

/** The tools whose configuration can be imported. */
export const IMPORT_TOOLS = ['gauntlet', 'coderabbit', 'continue'] as const;

export type ImportTool = (typeof IMPORT_TOOLS)[number];

/** For messages: the name of each tool, and the path of its configuration. */
export const TOOL_NAMES: Readonly<Record<ImportTool, readonly [name: string, where: string]>> = {
  gauntlet: ['agent gauntlet', '.gauntlet/config.yml'],
  coderabbit: ['CodeRabbit', '.coderabbit.yaml'],
  continue: ['Continue', '.continue/checks/*.md'],
};

/**
 * The configuration of another tool as entries, checks and reviews. Names and globs are still in the form of that tool.
 */
export type SourceConfig = {
  /** The path of the file or folder with the configuration, for messages. */
  readonly source: string;
  /** The settings other than `gates`, with the keys of `onceover.yml`. */
  readonly settings?: Omit<SettingsInput, 'gates'>;
  readonly entries: readonly SourceEntry[];
  /** Reviews that the other tool has, but does not use. */
  readonly spare: readonly SourceReview[];
};

export type SourceEntry = {
  readonly at: Position;
  readonly path: string;
  /** Whether `path` is a glob that matches only files. If not, `path` means the same as in `onceover.yml`. */
  readonly isFileGlob?: boolean;
  readonly exclude: readonly { readonly at: Position; readonly glob: string }[];
  /** Whether the other tool skips generated files by default. */
  readonly leavesOutWritten?: boolean;
  readonly checks: readonly SourceCheck[];
  readonly reviews: readonly SourceReview[];
};

export type SourceCheck = {
  readonly at: Position;
  readonly name: string;
  readonly command: string;
  /** The folder in which the command runs; null for the folder of the entry. */
  readonly folder: string | null;
  readonly timeout: number | undefined;
};

export type SourceReview = {
  readonly at: Position;
  readonly name: string;
  /** The text of the prompt; null if the prompt is built into the other tool and onceover's own prompt replaces it. */
  readonly text: string | null;
  /** The other settings of the review, with the keys of `onceover.yml`. */
  readonly settings?: Omit<ImportedReview, 'prompt'>;
};

/** A part of the configuration that is not imported or works differently in onceover, with its position. */
export type ImportNote = { readonly at: Position; readonly said: string };

type SettingsInput = z.input<typeof settingsSchema>;

/** An element of `gates` in `onceover.yml`. */
export type ImportedEntry = NonNullable<SettingsInput['gates']>[number];

type ImportedReview = NonNullable<ImportedEntry['reviews']>[string];
