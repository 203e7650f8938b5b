/** Calls that are passed on at once at first, then at most once in a while. */
export type Spaced<T> = {
  tell(value: T): void;
  /** Nothing is told any more. */
  end(): void;
};

/** Spaces calls out; of those that come too soon, the last is told later. */
export function spaced<T>(pauseMs: number, tell: (value: T) => void): Spaced<T> {
  let pause: NodeJS.Timeout | null = null;
  let later: { readonly value: T } | null = null;
  const tellNow = (value: T) => {
    later = null;
    pause = setTimeout(() => {
      pause = null;
      if (later !== null) tellNow(later.value);
    }, pauseMs);
    pause.unref();
    tell(value);
  };
  return {
    tell(value) {
      if (pause === null) tellNow(value);
      else later = { value };
    },
    end() {
      if (pause !== null) clearTimeout(pause);
      later = null;
    },
  };
}
