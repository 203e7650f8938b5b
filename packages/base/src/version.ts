/** The version of this package. The build inserts it. */
declare const ONCEOVER_VERSION: string;

export const version: string = ONCEOVER_VERSION;
