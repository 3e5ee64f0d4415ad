// Tic-tac-toe of boardgame.io: who plays the first free cell, against a player of Tavoliere.
//
//   npm install boardgame.io tavoliere && node boardgame.js

import { createRequire } from 'node:module';
import { load } from 'tavoliere';
import { botOf } from './tavoliere_bot.js';

const require = createRequire(import.meta.url);
const { Client } = require('boardgame.io/client');
const { INVALID_MOVE } = require('boardgame.io/core');
const { Local } = require('boardgame.io/multiplayer');
const { Bot } = require('boardgame.io/ai');

const CELLS = ['a1', 'b1', 'c1', 'a2', 'b2', 'c2', 'a3', 'b3', 'c3'];
const LINES = ['012', '345', '678', '036', '147', '258', '048', '246'];

const free = ({ turns }) => CELLS.filter((cell) => !turns.includes(cell));

function ended({ turns }) {
  const owner = (cell) => turns.indexOf(CELLS[cell]) % 2;
  const isFull = (line) => [...line].every((cell) => turns.includes(CELLS[cell]));
  const won = LINES.find((line) => isFull(line) && new Set([...line].map(owner)).size === 1);
  if (won) return { winner: String(owner(won[0])) };
  return turns.length === CELLS.length ? { draw: true } : undefined;
}

const game = {
  name: 'tic-tac-toe',
  setup: () => ({ turns: [] }),
  turn: { minMoves: 1, maxMoves: 1 },
  moves: {
    place({ G }, turn) {
      if (!free(G).includes(turn)) return INVALID_MOVE;
      G.turns.push(turn);
    },
  },
  endIf: ({ G }) => ended(G),
  ai: { enumerate: (G) => free(G).map((turn) => ({ move: 'place', args: [turn] })) },
};

const player = await load('tic_tac_toe');
const multiplayer = Local({ bots: { 1: botOf(Bot, player, { simulations: 100 }) } });
const client = Client({ game, multiplayer, playerID: '0', debug: false });
let seen = -1;
client.subscribe((state) => {
  // There is no state until the client is connected, and some changes are not of the turns.
  const turns = state?.G.turns ?? [];
  if (!state || turns.length === seen) return;
  seen = turns.length;
  if (state.ctx.gameover) {
    console.log(JSON.stringify({ turns, ...state.ctx.gameover }));
    client.stop();
    player.close();
  } else if (state.ctx.currentPlayer === '0') {
    setTimeout(() => client.moves.place(free(state.G)[0]));
  }
});
client.start();
