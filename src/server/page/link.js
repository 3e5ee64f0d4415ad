// Addresses: the fragment describes everything that a view shows, so that links can be shared.
//
//   #/play/GAME?turns=A5-A2.E3,A1-D4&ply=1&rules.holes=1&run=NAME/12/3
//   #/play/GAME?position=x../.o./...+x
//   #/play/GAME?player=checkpoints/NAME
//   #/training/NAME/12
//   #/training?compare=GAME&run=NAME&run=OTHER&measure=rating&by=hours
//   #/games
//
// `turns` is the whole game, from `position` if that is given. `ply` is the position shown, if it is
// not the last one. `rules.` are the options that differ from the game's defaults. `run` names the
// game of a training run. `player` chooses an opponent, and then leaves the address.

function rulesIn(query) {
  const rules = {};
  for (const [key, value] of query) {
    if (!key.startsWith('rules.')) continue;
    rules[key.slice(6)] = /^-?\d+$/.test(value) ? Number(value) : value;
  }
  return rules;
}

function playIn(game, query) {
  const turns = query.get('turns');
  const moves = turns ? turns.split('.') : [];
  const ply = query.has('ply') ? Number(query.get('ply')) : moves.length;
  const inside = Number.isInteger(ply) && ply >= 0 && ply <= moves.length;
  return {
    view: 'play',
    game,
    start: query.get('position'),
    moves,
    rules: rulesIn(query),
    run: query.get('run'),
    player: query.get('player'),
    ply: inside ? ply : moves.length,
  };
}

function trainingIn([run, iteration], query) {
  return {
    view: 'training',
    run: run || null,
    iteration: /^\d+$/.test(iteration ?? '') ? Number(iteration) : null,
    compare: query.get('compare'),
    runs: query.getAll('run'),
    measure: query.get('measure'),
    by: query.get('by'),
  };
}

/**
 * Parses an address: returns `{view: 'play', ...}`, `{view: 'games'}` or `{view: 'training', ...}`,
 * there with `run` and `iteration` of a run, or the game to `compare` with its `runs`, `measure` and
 * axis `by`.
 */
export function readLink(hash) {
  const [path, query = ''] = hash.replace(/^#\/?/, '').split('?');
  const parts = path.split('/').map(decoded);
  const values = new URLSearchParams(query);
  if (parts[0] === 'training') return trainingIn(parts.slice(1), values);
  if (parts[0] === 'games') return { view: 'games' };
  return playIn(parts[1] || null, values);
}

function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

// Commas, slashes and at signs are allowed in a fragment; unescaped, the link is readable.
function readable(text) {
  return encodeURIComponent(text).replace(/%2C/g, ',').replace(/%2F/g, '/').replace(/%40/g, '@');
}

/** Returns the address of a position. */
export function playLink({ game, rules = {}, start, moves = [], ply, run, player }) {
  const query = [];
  if (start) query.push(`position=${readable(start)}`);
  if (moves.length > 0) query.push(`turns=${readable(moves.join('.'))}`);
  if (ply !== undefined && ply !== moves.length) query.push(`ply=${ply}`);
  for (const [key, value] of Object.entries(rules)) query.push(`rules.${key}=${readable(value)}`);
  if (run) query.push(`run=${readable(run)}`);
  if (player) query.push(`player=${readable(player)}`);
  return `#/play/${readable(game)}${query.length > 0 ? `?${query.join('&')}` : ''}`;
}

/** Returns the address of the position that a session shows. */
export function sessionLink({ name, rules, start, moves, ply, run }) {
  return playLink({ game: name, rules, start, moves, ply, run });
}

/** Returns the address of the list of runs, of a run, or of the games of an iteration. */
export function trainingLink(run, iteration) {
  const parts = [run, iteration].filter((part) => part !== undefined && part !== null);
  return ['#/training', ...parts.map((part) => encodeURIComponent(part))].join('/');
}

/** Returns the address of a comparison of runs of a game. */
export function comparisonLink({ game, runs = [], measure, by }) {
  const query = [`compare=${readable(game)}`, ...runs.map((run) => `run=${readable(run)}`)];
  if (measure) query.push(`measure=${readable(measure)}`);
  if (by) query.push(`by=${by}`);
  return `#/training?${query.join('&')}`;
}
