/** Settings under which git runs no program of the user's and uses an index as it is. */
export const QUIET = [
  'core.hooksPath=/dev/null',
  'core.fsmonitor=',
  'core.untrackedCache=false',
  'core.splitIndex=false',
] as const;
