// The charts of a training run.

import { coloursOf } from './catalogue.js';
import { of, rating, scoreAgainst } from './run_metrics.js';
import { percent } from './values.js';

const whole = (number) => String(Math.round(number));

const RATING = { title: 'Rating', unit: 'Elo, with 95 % intervals', text: whole };
const LENGTH = { title: 'Game length', unit: 'turns', floor: [0] };
const SELF_PLAY = { title: 'Self-play speed', unit: 'evaluations/s', floor: [0] };
const TRAINING = { title: 'Training speed', unit: 'positions/s', floor: [0] };

const readLength = of('selfplay', 'mean_plies');
const readSelfPlay = of('selfplay', 'evaluations_per_s');
const readTraining = of('learn', 'positions_per_s');

/** Returns the settings of the charts that compare runs; each reads one measure of every run. */
export function comparedCharts(panel) {
  return [
    { ...RATING, read: rating },
    ...panel.map((opponent) => ({
      title: `Score against ${opponent}`,
      text: percent,
      floor: [0],
      read: scoreAgainst(opponent),
    })),
    { title: 'Policy loss', read: of('learn', 'policy_loss') },
    { title: 'Value loss', read: of('learn', 'value_loss') },
    { ...LENGTH, read: readLength },
    {
      title: 'Draws',
      unit: 'of the self-play games',
      text: percent,
      floor: [0],
      read: of('selfplay', 'draws'),
    },
    { ...SELF_PLAY, read: readSelfPlay },
    { ...TRAINING, read: readTraining },
  ];
}

/** Returns the settings of the charts of a run of a game that was evaluated against these opponents. */
export function chartsOf(game, panel) {
  const [first, second] = coloursOf(game);
  const wins = { [first]: 'p1_wins', [second]: 'p2_wins' };
  return [
    { ...RATING, measures: [{ name: 'Rating', read: rating }] },
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
    { ...LENGTH, measures: [{ name: 'Mean', read: readLength }] },
    { ...SELF_PLAY, measures: [{ name: 'Self-play', read: readSelfPlay }] },
    { ...TRAINING, measures: [{ name: 'Training', read: readTraining }] },
  ].filter(({ measures }) => measures.length > 0);
}
