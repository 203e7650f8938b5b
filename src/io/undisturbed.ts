import { QUIET } from './quiet.ts';

/** Settings under which nothing of the user's keeps git from looking, or has it write down not to look. */
export const UNDISTURBED = [
  ...QUIET,
  'core.sparseCheckout=false',
  'index.sparse=false',
  'index.skipHash=false',
  'core.ignoreStat=false',
  'core.checkStat=default',
  'core.trustctime=true',
  'core.safecrlf=false',
  'submodule.recurse=false',
] as const;
