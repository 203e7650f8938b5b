import { noTeamPackage } from '@onceover/store/in-store';
import { exitWith } from './output.ts';

/** Reports that a command needs the package @onceover/team, which is not installed. */
export function reportNoTeam(json: boolean): Promise<void> {
  return exitWith(noTeamPackage().failure, json);
}
