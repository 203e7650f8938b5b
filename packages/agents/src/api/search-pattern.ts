/** A compiled search pattern. Matching takes time proportional to the length of the line, whatever the pattern is. */
type SearchPattern = {
  /** Whether any part of the line matches. Returns `null` if `isExpired` reports that the time limit is over. */
  matches(line: string, isExpired: () => boolean): boolean | null;
};

type Compiled = { readonly ok: true; readonly pattern: SearchPattern } | { readonly ok: false; readonly said: string };

/** Whether a UTF-16 code unit matches one character of the pattern. */
type Test = (code: number) => boolean;

type Assertion = 'start' | 'end' | 'boundary' | 'no-boundary';

type Node =
  | { readonly kind: 'char'; readonly test: Test }
  | { readonly kind: 'assert'; readonly what: Assertion }
  | { readonly kind: 'join'; readonly parts: readonly Node[] }
  | { readonly kind: 'either'; readonly choices: readonly Node[] }
  | { readonly kind: 'repeat'; readonly node: Node; readonly least: number; readonly most: number | null };

type State =
  | { readonly kind: 'char'; readonly test: Test; next: number }
  | { readonly kind: 'assert'; readonly what: Assertion; next: number }
  | { readonly kind: 'split'; readonly next: number[] }
  | { readonly kind: 'match' };

const LONGEST_PATTERN = 500;
const MOST_STATES = 2000;

class PatternError extends Error {}

/**
 * Compiles a regular expression without backreferences and look-around. JavaScript's own engine is not used, because a
 * pattern that a model writes, or that a reviewed file suggests to it, could keep that engine busy for hours.
 */
export function compilePattern(source: string, ignoreCase: boolean): Compiled {
  if (source === '') return { ok: false, said: 'the pattern is empty' };
  if (source.length > LONGEST_PATTERN) return { ok: false, said: `the pattern has over ${LONGEST_PATTERN} characters` };
  try {
    return { ok: true, pattern: automaton(statesOf(parse(source, ignoreCase))) };
  } catch (error) {
    if (error instanceof PatternError) return { ok: false, said: error.message };
    throw error;
  }
}

function parse(source: string, ignoreCase: boolean): Node {
  let at = 0;
  const char = (test: Test): Node => ({ kind: 'char', test: ignoreCase ? foldingCase(test) : test });
  const either = (): Node => {
    const choices = [join()];
    while (source[at] === '|') {
      at++;
      choices.push(join());
    }
    return choices.length === 1 ? (choices[0] as Node) : { kind: 'either', choices };
  };
  const join = (): Node => {
    const parts: Node[] = [];
    while (at < source.length && source[at] !== '|' && source[at] !== ')') parts.push(repetition(atom()));
    return { kind: 'join', parts };
  };
  const repetition = (node: Node): Node => {
    let whole = node;
    for (;;) {
      const [text, min, max] = quantifierAt(source, at);
      if (text === '') return whole;
      at += text.length;
      if (source[at] === '?' || source[at] === '+') at++;
      whole = { kind: 'repeat', node: whole, least: min, most: max };
    }
  };
  const group = (): Node => {
    const [opening = '('] = /^\((?:\?:|\?P?<[A-Za-z_]\w*>)?/.exec(source.slice(at)) ?? [];
    if (opening === '(' && source[at + 1] === '?') throw new PatternError('look-around and flags are not supported');
    at += opening.length;
    const inner = either();
    if (source[at] !== ')') throw new PatternError('a "(" is not closed');
    at++;
    return inner;
  };
  const atom = (): Node => {
    const character = source[at] as string;
    switch (character) {
      case '(':
        return group();
      case '.':
        at++;
        return char(() => true);
      case '^':
      case '$':
        at++;
        return { kind: 'assert', what: character === '^' ? 'start' : 'end' };
      case '[': {
        const charClass = classAt(source, at);
        at = charClass.end;
        return char(charClass.test);
      }
      case '\\': {
        const next = source[at + 1];
        at += 2;
        if (next === 'b' || next === 'B') return { kind: 'assert', what: next === 'b' ? 'boundary' : 'no-boundary' };
        return char(escapeTest(next));
      }
      case '*':
      case '+':
      case '?':
        throw new PatternError(`there is nothing to repeat before "${character}"`);
      default: {
        at++;
        const code = character.charCodeAt(0);
        return char((candidate) => candidate === code);
      }
    }
  };
  const whole = either();
  if (at < source.length) throw new PatternError('a ")" has no "("');
  return whole;
}

function quantifierAt(source: string, at: number): readonly [text: string, least: number, most: number | null] {
  switch (source[at]) {
    case '*':
      return ['*', 0, null];
    case '+':
      return ['+', 1, null];
    case '?':
      return ['?', 0, 1];
    default: {
      const [text = '', min = '', comma, max = ''] = /^\{(\d+)(?:(,)(\d*))?\}/.exec(source.slice(at, at + 24)) ?? [];
      if (text === '') return ['', 0, 0];
      const last = comma === undefined ? Number(min) : max === '' ? null : Number(max);
      if (last !== null && last < Number(min)) throw new PatternError(`the numbers in ${text} are out of order`);
      return [text, Number(min), last];
    }
  }
}

const isDigit: Test = (code) => code >= 48 && code <= 57;
const isWord: Test = (code) =>
  isDigit(code) || (code >= 65 && code <= 90) || (code >= 97 && code <= 122) || code === 95;
const isSpace: Test = (code) => (code >= 9 && code <= 13) || code === 32 || code === 160 || code === 65279;

const CONTROLS: Readonly<Record<string, number>> = { n: 10, r: 13, t: 9, f: 12, v: 11, '0': 0 };

function escapeTest(next: string | undefined): Test {
  if (next === undefined) throw new PatternError('the pattern ends with a lone "\\"');
  const namedClass = { d: isDigit, w: isWord, s: isSpace }[next.toLowerCase()];
  if (namedClass !== undefined) return next === next.toLowerCase() ? namedClass : (code) => !namedClass(code);
  const code = CONTROLS[next];
  if (code !== undefined) return (candidate) => candidate === code;
  if (/[1-9k]/.test(next)) throw new PatternError('backreferences are not supported');
  if (/[A-Za-z]/.test(next)) throw new PatternError(`"\\${next}" is not supported`);
  const literalCode = next.charCodeAt(0);
  return (candidate) => candidate === literalCode;
}

function classAt(source: string, from: number): { readonly test: Test; readonly end: number } {
  let at = from + 1;
  const isNegated = source[at] === '^';
  if (isNegated) at++;
  const tests: Test[] = [];
  for (let isFirst = true; source[at] !== ']' || isFirst; isFirst = false) {
    if (at >= source.length) throw new PatternError('a "[" is not closed');
    const low = memberAt(source, at);
    at = low.end;
    const isRange = source[at] === '-' && source[at + 1] !== ']' && at + 1 < source.length && low.code !== null;
    if (!isRange) {
      tests.push(low.test);
      continue;
    }
    const high = memberAt(source, at + 1);
    at = high.end;
    const [first, last] = [low.code ?? 0, high.code];
    if (last === null || last < first) throw new PatternError('a range in "[…]" is out of order');
    tests.push((code) => code >= first && code <= last);
  }
  return { test: (code) => tests.some((test) => test(code)) !== isNegated, end: at + 1 };
}

function memberAt(
  source: string,
  at: number,
): { readonly test: Test; readonly code: number | null; readonly end: number } {
  const character = source[at] ?? '';
  if (character !== '\\') {
    const code = character.charCodeAt(0);
    return { test: (candidate) => candidate === code, code, end: at + 1 };
  }
  const next = source[at + 1];
  const isSet = next !== undefined && /[dwsDWS]/.test(next);
  const code = isSet || next === undefined ? null : (CONTROLS[next] ?? next.charCodeAt(0));
  return { test: next === 'b' ? (candidate) => candidate === 8 : escapeTest(next), code, end: at + 2 };
}

function foldingCase(test: Test): Test {
  return (code) => {
    const text = String.fromCharCode(code);
    return test(code) || test(text.toLowerCase().charCodeAt(0)) || test(text.toUpperCase().charCodeAt(0));
  };
}

/** Returns the states of an automaton for the pattern. The last state is the start. */
function statesOf(node: Node): readonly State[] {
  const states: State[] = [{ kind: 'match' }];
  const add = (state: State) => {
    if (states.length >= MOST_STATES) throw new PatternError('the pattern is too complex: repeat fewer times');
    return states.push(state) - 1;
  };
  const build = (subtree: Node, next: number): number => {
    switch (subtree.kind) {
      case 'char':
      case 'assert':
        return add({ ...subtree, next });
      case 'join':
        return subtree.parts.reduceRight((after, part) => build(part, after), next);
      case 'either':
        return add({ kind: 'split', next: subtree.choices.map((choice) => build(choice, next)) });
      case 'repeat': {
        let after = next;
        if (subtree.most === null) {
          const loop: number[] = [next];
          const split = add({ kind: 'split', next: loop });
          loop.push(build(subtree.node, split));
          after = split;
        } else {
          for (let times = subtree.least; times < subtree.most; times++) {
            after = add({ kind: 'split', next: [next, build(subtree.node, after)] });
          }
        }
        for (let times = 0; times < subtree.least; times++) after = build(subtree.node, after);
        return after;
      }
    }
  };
  const start = build(node, 0);
  add({ kind: 'split', next: [start] });
  return states;
}

/**
 * The kind of character next to a position: none (0, the end of the line), a word character (1), or another character
 * (2).
 */
type Neighbour = 0 | 1 | 2;

/** The states that the automaton is in before a character, and the kind of the previous character. */
type Place = {
  readonly states: readonly number[];
  readonly before: Neighbour;
  readonly next: Map<number, Place | 'match'>;
};

const MOST_PLACES = 4000;
const CHECK_EVERY = 1 << 14;

/**
 * Returns a matcher that follows all possible states at the same time, and caches which states follow on each
 * character.
 */
function automaton(states: readonly State[]): SearchPattern {
  const start = states.length - 1;
  let places = new Map<string, Place>();
  const placeOf = (stateIds: readonly number[], before: Neighbour): Place => {
    const key = `${before}:${stateIds.join(',')}`;
    const cachedPlace = places.get(key);
    if (cachedPlace !== undefined) return cachedPlace;
    if (places.size >= MOST_PLACES) places = new Map();
    const place: Place = { states: stateIds, before, next: new Map() };
    places.set(key, place);
    return place;
  };
  const reachableStates = (from: Place, after: Neighbour): ReadonlySet<number> => {
    const visitedIds = new Set<number>();
    const todo = [...from.states];
    for (let id = todo.pop(); id !== undefined; id = todo.pop()) {
      if (visitedIds.has(id)) continue;
      visitedIds.add(id);
      const state = states[id] as State;
      if (state.kind === 'split') todo.push(...state.next);
      else if (state.kind === 'assert' && isTrue(state.what, from.before, after)) todo.push(state.next);
    }
    return visitedIds;
  };
  const step = (from: Place, code: number): Place | 'match' => {
    const kind: Neighbour = isWord(code) ? 1 : 2;
    const reachableIds = reachableStates(from, kind);
    if (reachableIds.has(0)) return 'match';
    const next = new Set([start]);
    for (const id of reachableIds) {
      const state = states[id] as State;
      if (state.kind === 'char' && state.test(code)) next.add(state.next);
    }
    return placeOf(
      [...next].sort((a, b) => a - b),
      kind,
    );
  };
  return {
    matches(line, isExpired) {
      let place = placeOf([start], 0);
      for (let at = 0; at < line.length; at++) {
        if (at % CHECK_EVERY === CHECK_EVERY - 1 && isExpired()) return null;
        const code = line.charCodeAt(at);
        const next = place.next.get(code) ?? step(place, code);
        if (next === 'match') return true;
        place.next.set(code, next);
        place = next;
      }
      return reachableStates(place, 0).has(0);
    },
  };
}

function isTrue(assertion: Assertion, before: Neighbour, after: Neighbour): boolean {
  switch (assertion) {
    case 'start':
      return before === 0;
    case 'end':
      return after === 0;
    case 'boundary':
      return (before === 1) !== (after === 1);
    case 'no-boundary':
      return (before === 1) === (after === 1);
  }
}
