/** The environment variable with the address of the store for teams, which may contain a password. */
export const STORE_VARIABLE = 'ONCEOVER_STORE';
