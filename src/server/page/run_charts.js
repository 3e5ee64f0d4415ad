// The charts of a training run.

import { coloursOf } from './catalogue.js';
import { of, rating, scoreAgainst } from './run_metrics.js';
import { percent } from './values.js';

/** Returns the settings of the charts of a run of a game that was evaluated against these opponents. */
export function chartsOf(game, panel) {
  const [first, second] = coloursOf(game);
  const wins = { [first]: 'p1_wins', [second]: 'p2_wins' };
  return [
    {
      title: 'Rating',
      unit: 'Elo, with 95 % intervals',
      text: (elo) => String(Math.round(elo)),
      measures: [{ name: 'Rating', read: rating }],
    },
    {
      title: 'Score',
      unit: 'against the opponents of the evaluations',
      text: percent,
      floor: [0],
      measures: panel.map((name) => ({ name, read: scoreAgainst(name) })),
    },
    {
      title: 'Losses',
      measures: [
        { name: 'Policy', read: of('learn', 'policy_loss') },
        { name: 'Value', read: of('learn', 'value_loss') },
      ],
    },
    {
      title: 'Self-play results',
      text: percent,
      floor: [0],
      measures: [
        { name: 'Black wins', read: of('selfplay', wins.Black) },
        { name: 'White wins', read: of('selfplay', wins.White) },
        { name: 'Draws', read: of('selfplay', 'draws') },
      ],
    },
    {
      title: 'Game length',
      unit: 'turns',
      floor: [0],
      measures: [{ name: 'Mean', read: of('selfplay', 'mean_plies') }],
    },
    {
      title: 'Self-play speed',
      unit: 'evaluations/s',
      floor: [0],
      measures: [{ name: 'Self-play', read: of('selfplay', 'evaluations_per_s') }],
    },
    {
      title: 'Training speed',
      unit: 'positions/s',
      floor: [0],
      measures: [{ name: 'Training', read: of('learn', 'positions_per_s') }],
    },
  ].filter(({ measures }) => measures.length > 0);
}
