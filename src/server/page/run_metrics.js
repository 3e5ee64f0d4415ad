// The metrics of a training run, by iteration and phase.

/** The lines of the metrics that count. */
export class Metrics {
  #iterations = new Map();

  constructor(lines = []) {
    for (const line of lines) this.add(line);
  }

  // What was measured of later iterations than a run was set back to no longer counts.
  /** Adds a line. */
  add(line) {
    const { iteration, phase } = line;
    if (phase === 'set_back') {
      for (const later of this.#iterations.keys())
        if (later > iteration) this.#iterations.delete(later);
      return;
    }
    if (!this.#iterations.has(iteration)) this.#iterations.set(iteration, { iteration });
    this.#iterations.get(iteration)[phase] = line;
  }

  /** The iterations in order, each with its lines by phase. */
  get iterations() {
    return [...this.#iterations.values()].sort((a, b) => a.iteration - b.iteration);
  }

  /** The opponents without a network of all evaluations. */
  get panel() {
    const met = this.iterations.flatMap(({ evaluation }) => evaluation?.met ?? []);
    const names = met.map(({ opponent }) => opponent);
    return [...new Set(names.filter((name) => !name.startsWith('@')))];
  }

  /** The newest evaluation, or undefined. */
  get evaluated() {
    return this.iterations.filter(({ evaluation }) => evaluation).at(-1)?.evaluation;
  }
}

/** Returns iterations, each with the `hours` of self-play and training up to its end. */
export function timed(iterations) {
  let hours = 0;
  return iterations.map((iteration) => {
    hours += ((iteration.selfplay?.seconds ?? 0) + (iteration.learn?.seconds ?? 0)) / 3600;
    return { ...iteration, hours };
  });
}

/** Reads a number of a phase of an iteration. */
export const of = (phase, key) => (iteration) => iteration[phase]?.[key] ?? null;

/** Reads the rating of an iteration, with its interval. */
export function rating({ evaluation }) {
  if (!Number.isFinite(evaluation?.rating)) return null;
  return { value: evaluation.rating, low: evaluation.rating_low, high: evaluation.rating_high };
}

/** The share of the points in games with results `[won, drawn, lost]`. */
export function share([won, drawn, lost]) {
  return (won + drawn / 2) / Math.max(won + drawn + lost, 1);
}

/** The results against an opponent of an evaluation, with both colours together. */
export function together({ first, second }) {
  return first.map((count, index) => count + second[index]);
}

/** Reads the score against an opponent. */
export function scoreAgainst(opponent) {
  return ({ evaluation }) => {
    const met = evaluation?.met?.find((candidate) => candidate.opponent === opponent);
    return met ? share(together(met)) : null;
  };
}
