/** Set in the environment of everything that onceover starts, so that nothing inside it starts onceover again. */
export const ACTIVE = 'ONCEOVER_ACTIVE';
