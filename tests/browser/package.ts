// What users of the npm package write, for the compiler. Each line that must not compile says so.

import { load, players, TavoliereError } from 'tavoliere';
import type { Analysis, Player, Position, Turn } from 'tavoliere';

const player: Player = await load('neutron5');
const other = await load(new URL('https://example.org/players/mine/'), { game: 'susan' });
const moves: Turn[] = await player.legal();
const analysis: Analysis = await player.analyze(moves, {
  simulations: 400,
  timeMs: 1000,
  signal: new AbortController().signal,
  onUpdate: ({ best, value }) => console.log(best?.toUpperCase(), value?.win.toFixed(2)),
});
const best: string = await player.best({ position: analysis.position, moves }, { level: 2, seed: 7 });
const { board, outcome, legal, to_move }: Position = await other.position([best]);
const path: number[] | undefined = legal[0]?.path;
console.log(board.length, outcome === 'draw', to_move === 'x', path, (await players())[0]?.name);
try {
  await load(new Uint8Array([1, 2, 3]), { program: './my_game.wasm' });
} catch (error) {
  if (error instanceof TavoliereError) console.log(error.at, error.status);
}
player.close();

// @ts-expect-error a best turn may be missing
analysis.best.length;
// @ts-expect-error turns are texts
await player.legal([1, 2]);
// @ts-expect-error there is no such option
await player.best([], { strength: 3 });
// @ts-expect-error a side is x or o
if (to_move === 'black') console.log();
// @ts-expect-error the name cannot be changed
player.name = 'mine';
