// Addresses: the fragment describes everything that a view shows, so that links can be shared.
//
//   #/play/GAME?turns=A5-A2.E3,A1-D4&ply=1&rules.holes=1&run=NAME/12/3
//   #/training/NAME/12
//
// `turns` is the whole game. `ply` is the position shown, if it is not the last one. `rules.` are
// the options that differ from the game's defaults. `run` names the game of a training run.

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
    moves,
    rules: rulesIn(query),
    run: query.get('run'),
    ply: inside ? ply : moves.length,
  };
}

/** Parses an address: returns `{view: 'play', ...}` or `{view: 'training', run, iteration}`. */
export function readLink(hash) {
  const [path, query = ''] = hash.replace(/^#\/?/, '').split('?');
  const parts = path.split('/').map(decoded);
  if (parts[0] === 'training') {
    const iteration = /^\d+$/.test(parts[2] ?? '') ? Number(parts[2]) : null;
    return { view: 'training', run: parts[1] || null, iteration };
  }
  return playIn(parts[1] || null, new URLSearchParams(query));
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
export function playLink({ game, rules, moves, ply, run }) {
  const query = [];
  if (moves.length > 0) query.push(`turns=${readable(moves.join('.'))}`);
  if (ply !== undefined && ply !== moves.length) query.push(`ply=${ply}`);
  for (const [key, value] of Object.entries(rules)) query.push(`rules.${key}=${readable(value)}`);
  if (run) query.push(`run=${readable(run)}`);
  return `#/play/${readable(game)}${query.length > 0 ? `?${query.join('&')}` : ''}`;
}

/** Returns the address of the position that a session shows. */
export function sessionLink({ name, rules, moves, ply, run }) {
  return playLink({ game: name, rules, moves, ply, run });
}

/** Returns the address of the list of runs, of a run, or of the games of an iteration. */
export function trainingLink(run, iteration) {
  const parts = [run, iteration].filter((part) => part !== undefined && part !== null);
  return ['#/training', ...parts.map((part) => encodeURIComponent(part))].join('/');
}
