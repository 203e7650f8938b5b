/**
 * Starts the program in the package @onceover/team if the command or the user's configuration needs it. That program has
 * all commands of this one. Returns whether it was started: without the package, this program goes on and reports what is
 * missing.
 */
export async function startTeamProgram(command: string): Promise<boolean> {
  const isOfTeam = command === 'worker' || command === 'serve' || command === 'serve-review';
  if (!isOfTeam && !(await import('@onceover/store/has-store')).hasTeamStore()) return false;
  return (await import('./load-team.ts')).loadTeamProgram();
}
