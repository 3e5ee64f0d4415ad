/** A turn as text, such as `A5-A2` or `d4`; docs/formats.md of Tavoliere has all notations. */
export type Turn = string;

/** The side that moves as Black (`x`) or as White (`o`). */
export type Side = 'x' | 'o';

/** The turns of a game from its start, or from a position that is given as text. */
export type Line =
  | readonly Turn[]
  | { readonly position?: string; readonly moves?: readonly Turn[] };

/** What a side can expect: shares that sum to 1. */
export interface Value {
  win: number;
  draw: number;
  loss: number;
}

/** A position, with all that a board needs. */
export interface Position {
  game: string;
  rules: Record<string, unknown>;
  /** The turns as they are written. */
  moves: Turn[];
  /** The board as lines of text. */
  board: string;
  /** The position in a line of text. */
  position: string;
  /** A symbol for each cell: `.` for an empty one, `x` and `o` for the pieces of the sides. */
  squares: string;
  /** Pieces in hand, in games that count them. */
  hand: { x: number; o: number } | null;
  /** Null when the game is over. */
  to_move: Side | null;
  /** Number of turns played. */
  ply: number;
  /** All legal turns, with the cells to click for each. */
  legal: { turn: Turn; path: number[] }[];
  /** The cells of the last turn. */
  last: number[];
  outcome: Side | 'draw' | null;
  winner: 'P1' | 'P2' | 'draw' | null;
  /** Why the game ended, and the cells that decided it. */
  ending: { reason: string; cells: number[] } | null;
}

/** A turn that the search ranked. */
export interface RankedTurn {
  turn: Turn;
  visits: number;
  /** Its probability by the network, before the search. */
  prior: number;
  /** For the side that plays it. Null without visits. */
  value: Value | null;
  proven: 'win' | 'draw' | 'loss' | null;
  /** The turns until the end of a proven win or loss, if they are known. */
  proven_in: number | null;
}

/** The analysis of a position. All values are for the side to move. */
export interface Analysis {
  board: string;
  /** The position in a line of text. */
  position: string;
  to_move: Side | null;
  ply: number;
  /** All legal turns, sorted as text. */
  legal: Turn[];
  outcome: Side | 'draw' | null;
  winner: 'P1' | 'P2' | 'draw' | null;
  /** The best turn. It and all that follows are missing when the game is over. */
  best?: Turn;
  value?: Value;
  /** The network alone. */
  raw?: Value;
  /** The best first. */
  turns?: RankedTurn[];
  /** The turns that the search expects. */
  pv?: Turn[];
  proven?: 'win' | 'draw' | 'loss' | null;
  /** The turns until the end of a proven win or loss, if they are known. */
  proven_in?: number | null;
  /** Simulations of the search. */
  simulations?: number;
}

/** Limits of a search. Without any, the player takes its usual number of simulations. */
export interface Limits {
  simulations?: number;
  timeMs?: number;
  /** For players that play by chance: `random`, `uct` and weak levels. */
  seed?: number;
  /** Aborts the search: the promise is rejected with an `AbortError`. */
  signal?: AbortSignal;
}

export interface AnalyzeOptions extends Limits {
  /** Ranks at most so many turns. */
  top?: number;
  /** Gets the analyses of shorter searches on the way: 32 simulations, 128, and so on. */
  onUpdate?: (analysis: Analysis) => void;
}

export interface BestOptions extends Limits {
  /** A level of the player instead of its full strength; `levels` lists them. */
  level?: number;
}

/** A level of a player. */
export interface Level {
  level: number;
  name: string;
  simulations: number;
  elo: number | null;
}

/** A player in a worker of its own. Its questions are answered one after the other. */
export interface Player {
  readonly name: string;
  readonly title: string;
  readonly game: string;
  /** The rules that it plays by, null for any. */
  readonly rules: Record<string, unknown> | null;
  /** Simulations without a limit, null for a player that does not search. */
  readonly simulations: number | null;
  readonly levels: readonly Level[];
  readonly canAnalyze: boolean;
  /** The legal turns; none when the game is over. */
  legal(line?: Line, options?: { signal?: AbortSignal }): Promise<Turn[]>;
  /** The position after a line, with its board and its outcome. */
  position(line?: Line, options?: { signal?: AbortSignal }): Promise<Position>;
  analyze(line?: Line, options?: AnalyzeOptions): Promise<Analysis>;
  /** The turn that the player plays. Rejected when the game is over. */
  best(line?: Line, options?: BestOptions): Promise<Turn>;
  /** Ends the worker. Pending questions are rejected with an `AbortError`. */
  close(): void;
}

/**
 * A player: the name of one of the package (`players` lists them); `random`, `uct` or `alphabeta`; the
 * address of the folder of an exported player, with `/` at its end, or of a file of `tavoliere site`
 * (`assets/players/NAME.gz`); the bytes of such a file; or the files of a folder by name.
 */
export type PlayerSource = string | URL | ArrayBuffer | Uint8Array | Record<string, Uint8Array>;

export interface LoadOptions {
  /** The game, for players that play several. */
  game?: string;
  /** The address of another program, such as one of your own game (`scripts/web.sh --manifest`). */
  program?: string | URL;
  signal?: AbortSignal;
}

/** Loads a player, and begins a worker for it. */
export function load(source: PlayerSource, options?: LoadOptions): Promise<Player>;

/** A player of the package. */
export interface Shipped {
  name: string;
  title: string;
  game: string;
  levels: Level[];
}

/** The players of the package. */
export function players(): Promise<Shipped[]>;

/** A question that has no answer: an illegal turn, a file that is not there. */
export class TavoliereError extends Error {
  /** As of HTTP: 400 for a wrong question, 404 for a file or a player that is not there. */
  readonly status: number;
  /** The index of the illegal turn, or null. */
  readonly at: number | null;
}
