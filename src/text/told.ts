/** What happened and why, and what to do next. */
export type Told = { readonly what: string; readonly next: string };
