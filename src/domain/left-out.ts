import { GENERATED_FOLDER } from './generated.ts';
import type { LeftOut } from './ports.ts';
import type { Settings } from './settings.ts';

/** What is never part of a change. */
export function leftOut(settings: Pick<Settings, 'logDir'>): LeftOut {
  return { folders: [GENERATED_FOLDER, settings.logDir] };
}
