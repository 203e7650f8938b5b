/** The version of this package, put in when it is built. */
declare const ONCEOVER_VERSION: string;

export const version: string = ONCEOVER_VERSION;
