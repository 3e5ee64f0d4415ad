// What the network of a run is worth where its training ended, and what to do with it.

import { element } from './dom.js';
import { percent } from './values.js';

function interval({ low, high }) {
  return `${percent(low)} to ${percent(high)}`;
}

function row(head, ...cells) {
  return element(
    'tr',
    {},
    element('th', { scope: 'row' }, head),
    ...cells.map((text) => element('td', {}, text)),
  );
}

function table({ scores, proven, simulations }) {
  const rows = scores.map(({ opponent, games, score }) =>
    row(`against ${opponent}`, percent(score.value), interval(score), `${games} games, ${simulations} simulations`),
  );
  if (proven !== null) {
    const { share, positions, simulations: searched } = proven;
    const remark = `${positions} positions, ${searched} simulations`;
    rows.push(row('proven positions, correct turns', percent(share.value), interval(share), remark));
  }
  if (rows.length === 0) return null;
  const head = ['Measured', 'Share', '95 % interval', 'By'];
  return element(
    'div',
    { class: 'scroll' },
    element(
      'table',
      {},
      element('thead', {}, element('tr', {}, ...head.map((text) => element('th', { scope: 'col' }, text)))),
      element('tbody', {}, ...rows),
    ),
  );
}

function advice(lines) {
  if (lines.length === 0) return [];
  return [
    element('h3', {}, 'What may make it better'),
    element('ul', {}, ...lines.map((line) => element('li', {}, line))),
  ];
}

function commands(player) {
  const exported = `players/${player.split('/').at(-1)}`;
  const lines = [
    ['Play against it in a terminal', `tavoliere play ${player}`],
    ['Export it', `tavoliere export ${player} --output ${exported}`],
    ['Publish it', `tavoliere site ${exported} --out site`],
  ];
  const item = ([what, command]) => element('li', {}, `${what}: `, element('code', {}, command));
  return [element('h3', {}, 'How to go on'), element('ul', {}, ...lines.map(item))];
}

/** Returns the card of a run; null as long as its training has not ended once. */
export function worthCard({ card, player }) {
  if (!card) return null;
  const { iteration, seconds, games, positions } = card;
  const facts = [
    `${(seconds / 60).toFixed(1)} minutes of training`,
    `${games.toLocaleString('en')} games`,
    `${positions.toLocaleString('en')} positions`,
  ];
  return element(
    'section',
    { class: 'card results', id: 'run-worth' },
    element('h2', {}, `What the network of iteration ${iteration} is worth`),
    element('p', {}, `${facts.join(', ')}.`),
    table(card),
    ...advice(card.advice),
    ...(player === null ? [] : commands(player)),
  );
}
