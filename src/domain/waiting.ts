/** How long somebody waits for what goes on by itself; they may stop waiting, and hear what it says meanwhile. */
export type Waiting = {
  readonly seconds: number;
  readonly stop?: AbortSignal;
  /** The last line that it said, whenever that is another one. */
  heard?(line: string): void;
};
