/**
 * Whether this is the program of the package @onceover/team, which contains the store, the server and the workers. The
 * build inserts the value, so the package onceover contains none of their code.
 */
declare const ONCEOVER_TEAM: boolean;
